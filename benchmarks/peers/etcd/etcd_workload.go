// SPDX-License-Identifier: Apache-2.0

// What lock_workload does, with the Mutex of etcd's own client: one line of key=value figures.
//
//	etcd_workload --connect H:P[,H:P...] --work free --n N [--warmup N]
//	etcd_workload --connect H:P[,H:P...] --work contended --clients N [--hold-us N] [--pause-us N] --ms N [--warmup-ms N]
//	etcd_workload --connect H:P[,H:P...] --work rtt --n N
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
)

type options map[string]string

func (o options) number(name string, otherwise int) int {
	value, found := o[name]
	if !found {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	check(err)
	return n
}

// Durations of one kind.
type durations []time.Duration

// What lies at a fraction of them, in whole microseconds.
func (d durations) at(fraction float64) int64 {
	if len(d) == 0 {
		return 0
	}
	sort.Slice(d, func(i, j int) bool { return d[i] < d[j] })
	i := int(float64(len(d)) * fraction)
	if i >= len(d) {
		i = len(d) - 1
	}
	return d[i].Round(time.Microsecond).Microseconds()
}

func (d durations) figures(name string) string {
	return fmt.Sprintf(" %s_p50_us=%d %s_p99_us=%d", name, d.at(0.5), name, d.at(0.99))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd_workload:", err)
		os.Exit(1)
	}
}

func connect(o options) *clientv3.Client {
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(o["connect"], ","), DialTimeout: 10 * time.Second})
	check(err)
	return client
}

func session(o options) *concurrency.Session {
	session, err := concurrency.NewSession(connect(o), concurrency.WithTTL(30))
	check(err)
	return session
}

func free(o options) string {
	n, warmup := o.number("n", 0), o.number("warmup", 10)
	mutex := concurrency.NewMutex(session(o), "/benchmark/free")
	var acquires, releases durations
	for i := -warmup; i < n; i++ {
		begin := time.Now()
		check(mutex.Lock(context.Background()))
		acquired := time.Now()
		check(mutex.Unlock(context.Background()))
		if i >= 0 {
			acquires = append(acquires, acquired.Sub(begin))
			releases = append(releases, time.Since(acquired))
		}
	}
	return fmt.Sprintf("n=%d warmup=%d", n, warmup) + acquires.figures("acquire") + releases.figures("release")
}

// Clients with a session each, and a connection each, take turns.
type contest struct {
	hold, pause     time.Duration
	begin, end      time.Time
	guard           sync.Mutex // of what follows
	handoffs        durations
	released        time.Time
	inside          int
	overlaps        int
	turns, allTurns int
	last            *concurrency.Session // who had the turn before
	again           int                  // turns of who had the last one, too
}

func (c *contest) enter(session *concurrency.Session) {
	now := time.Now()
	c.guard.Lock()
	defer c.guard.Unlock()
	c.inside++
	if c.inside != 1 {
		c.overlaps++
	}
	c.allTurns++
	if now.Before(c.begin) || !now.Before(c.end) {
		return
	}
	c.turns++
	if c.last == session {
		c.again++
	} else if !c.released.IsZero() {
		c.handoffs = append(c.handoffs, now.Sub(c.released))
	}
}

func (c *contest) leave(session *concurrency.Session) {
	c.guard.Lock()
	defer c.guard.Unlock()
	c.inside--
	c.last = session
	c.released = time.Now()
}

func (c *contest) takeTurns(session *concurrency.Session) {
	mutex := concurrency.NewMutex(session, "/benchmark/contended")
	for time.Now().Before(c.end) {
		check(mutex.Lock(context.Background()))
		c.enter(session)
		if c.hold > 0 {
			time.Sleep(c.hold)
		}
		c.leave(session)
		check(mutex.Unlock(context.Background()))
		time.Sleep(c.pause)
	}
}

func contended(o options) string {
	var sessions []*concurrency.Session
	for i := 0; i < o.number("clients", 0); i++ {
		sessions = append(sessions, session(o))
	}
	length := time.Duration(o.number("ms", 0)) * time.Millisecond
	c := &contest{hold: time.Duration(o.number("hold-us", 0)) * time.Microsecond,
		pause: time.Duration(o.number("pause-us", 0)) * time.Microsecond}
	c.begin = time.Now().Add(time.Duration(o.number("warmup-ms", 500)) * time.Millisecond)
	c.end = c.begin.Add(length)
	var all sync.WaitGroup
	for _, each := range sessions {
		all.Add(1)
		go func(session *concurrency.Session) {
			defer all.Done()
			c.takeTurns(session)
		}(each)
	}
	all.Wait()
	return fmt.Sprintf("clients=%d hold_us=%d per_s=%.1f", len(sessions), c.hold.Microseconds(),
		float64(c.turns)/length.Seconds()) + c.handoffs.figures("handoff") +
		fmt.Sprintf(" overlaps=%d turns=%d again=%.3f", c.overlaps, c.allTurns, float64(c.again)/math.Max(float64(c.turns), 1))
}

// A read that one server answers alone: the yardstick.
func rtt(o options) string {
	n := o.number("n", 0)
	client := connect(o)
	var reads durations
	for i := 0; i < n; i++ {
		begin := time.Now()
		_, err := client.Get(context.Background(), "/benchmark", clientv3.WithSerializable())
		check(err)
		reads = append(reads, time.Since(begin))
	}
	return fmt.Sprintf("n=%d rtt_p50_us=%d", n, reads.at(0.5))
}

func main() {
	o := options{}
	for i := 1; i+1 < len(os.Args); i += 2 {
		o[strings.TrimPrefix(os.Args[i], "--")] = os.Args[i+1]
	}
	works := map[string]func(options) string{"free": free, "contended": contended, "rtt": rtt}
	work, found := works[o["work"]]
	if !found {
		fmt.Fprintln(os.Stderr, "etcd_workload: no such work:", o["work"])
		os.Exit(64)
	}
	fmt.Printf("peer=etcd work=%s %s\n", o["work"], work(o))
}
