// Package references finds, escapes and replaces references to secrets in the text of
// campaign files, ${secret:env:NAME} and ${secret:file:PATH}, and passwords written
// out in addresses. A doubled dollar escapes a reference: $${secret:env:NAME} is the
// text ${secret:env:NAME}. Text from any other source is escaped with Escape before
// it is merged with text of a file, so it never becomes a reference.
package references
