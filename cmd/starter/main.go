// Command starter applies campaigns, starts and watches runs, and answers
// questions about both.
package main

import "github.com/vendemmia/vendemmia/app"

func main() { app.Main(app.AsStarter) }
