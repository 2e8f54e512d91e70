// Package rows holds the nouns of the store: what is kept, what is written and
// what is asked of it, as plain structs. A store implements methods over them;
// activities and the command line declare the small interfaces they need. It
// sits on the ground floor so that neither has to import the other.
package rows
