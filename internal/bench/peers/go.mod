module github.com/vendemmia/vendemmia/internal/bench/peers

go 1.26.0

require github.com/gocolly/colly/v2 v2.3.0
