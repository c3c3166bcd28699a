// How fast does colly do the same work?
//
//	colly OUT URL
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gocolly/colly/v2"
)

const connections = 64

type page struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Links int    `json:"links"`
}

func main() {
	start := time.Now()
	seed, err := url.Parse(os.Args[2])
	check(err)
	file, err := os.Create(os.Args[1])
	check(err)
	lines := bufio.NewWriter(file)
	encoder := json.NewEncoder(lines)
	var writing sync.Mutex
	var known sync.Map
	pages := 0

	collector := colly.NewCollector(colly.Async(true), colly.AllowedDomains(seed.Hostname()))
	check(collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: connections}))
	collector.SetRequestTimeout(60 * time.Second)
	collector.WithTransport(&http.Transport{
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		MaxIdleConns:        connections,
		MaxIdleConnsPerHost: connections,
		MaxConnsPerHost:     connections,
	})
	collector.OnHTML("html", func(e *colly.HTMLElement) {
		title := e.DOM.Find("title").First().Text()
		hrefs := e.DOM.Find("a[href]")
		writing.Lock()
		pages++
		check(encoder.Encode(page{e.Request.URL.String(), title, hrefs.Length()}))
		writing.Unlock()
		follow(e, hrefs, &known)
	})
	known.Store(seed.String(), true)
	check(collector.Visit(os.Args[2]))
	collector.Wait()

	check(lines.Flush())
	check(file.Close())
	fmt.Printf("{\"pages\": %d, \"seconds\": %f}\n", pages, time.Since(start).Seconds())
}

// follow visits the pages nobody named before; a link differing in its fragment is the same page.
// Looking them up here first is much cheaper than letting colly refuse them.
func follow(e *colly.HTMLElement, hrefs *goquery.Selection, known *sync.Map) {
	hrefs.Each(func(_ int, a *goquery.Selection) {
		href, _, _ := strings.Cut(a.AttrOr("href", ""), "#")
		target, err := e.Request.URL.Parse(href)
		if err != nil || target.Host != e.Request.URL.Host {
			return
		}
		address := target.String()
		if _, named := known.LoadOrStore(address, true); !named {
			check(e.Request.Visit(address))
		}
	})
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
