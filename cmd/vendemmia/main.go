// Command vendemmia is worker and starter in one file, for packages and images:
// vendemmia worker --queues library, vendemmia runs list.
package main

import "github.com/vendemmia/vendemmia/app"

func main() { app.Main() }
