// KEDA, for the schema of its resources alone: nothing of it is built.
module github.com/vendemmia/vendemmia/deployments/kubernetes/tools/keda

go 1.26.0

require github.com/kedacore/keda/v2 v2.18.1
