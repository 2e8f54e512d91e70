// Package campaignfiles reads campaign files for the commands that need them, and prints what is wrong with them.
package campaignfiles
