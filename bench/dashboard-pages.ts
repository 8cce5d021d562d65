/** How fast pages of the dashboard are shown in Chromium: the first load, a long run, and lists that are scrolled through. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import type { BenchDaemon } from './bench-daemon.ts'
import { openBenchTab, startChromium } from './chromium.ts'
import type { LargeRecord } from './large-record.ts'
import { atMost, median, type Result } from './report.ts'

const built = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url))
const firstLoadMax = 150 * 1024
const firstPaintMsMax = 1000
/** From when the browser calls a task long. */
const taskMsMax = 50
const paints = 5

export async function measurePages(
  daemon: BenchDaemon,
  { long, runs }: LargeRecord,
  scale: number,
): Promise<readonly Result[]> {
  const size = firstLoadBytes()
  const results = [
    atMost('dashboard.first-load', size, firstLoadMax, 'bytes', 'compressed with gzip'),
  ]
  if (!existsSync('/usr/bin/chromium')) return results
  const browser = await startChromium()
  try {
    results.push(await measureFirstPaint(browser, daemon, long))
    const { page } = await openBenchTab(browser, daemon)
    const rows = Math.round(runs * Math.min(1, scale))
    results.push(await measureScroll(page, rows))
    return results
  } finally {
    await browser.close()
  }
}

/** What the page names, and what that imports at once. */
function firstLoadBytes(): number {
  const page = readFileSync(`${built}index.html`, 'utf8')
  const read = (name: string): Buffer => readFileSync(`${built}assets/${name}`)
  const loaded = new Set(
    [...page.matchAll(/\/ui\/assets\/([\w.-]+)/g)].map(([, name = '']) => name),
  )
  const known = new Set(readdirSync(`${built}assets`))
  for (const name of loaded) {
    if (!name.endsWith('.js')) continue
    const imports = read(name)
      .toString()
      .matchAll(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g)
    for (const [, next = ''] of imports) if (known.has(next)) loaded.add(next)
  }
  return [...loaded].reduce((sum, name) => sum + gzipSync(read(name)).length, 0)
}

/** From the navigation to the iterations of the run on the screen, everything loaded anew. */
async function measureFirstPaint(
  browser: Browser,
  daemon: BenchDaemon,
  run: string,
): Promise<Result> {
  const times: number[] = []
  for (let at = 0; at <= paints; at++) {
    const { page, close } = await openBenchTab(browser, daemon)
    await page.goto(`${daemon.address}/ui/runs/${run}`, { waitUntil: 'commit' })
    const shownMs = await page.evaluate<number>(untilShown)
    // The first one also warms the daemon up.
    if (at > 0) times.push(shownMs)
    await close()
  }
  const detail = `median of ${paints}; most ${Math.max(...times).toFixed(0)} ms`
  return atMost('dashboard.first-paint', median(times), firstPaintMsMax, 'ms', detail)
}

/** Runs in the page: until the iterations of the run are there. */
const untilShown = `(async () => {
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const main = document.querySelector('main')
    if (main?.querySelector('h1') && /Iteration \\d/.test(main.innerText)) return performance.now()
  }
})()`

/** Scrolls through all rows of the list of runs, and reports the longest task after the first screen. */
async function measureScroll(page: Page, rows: number): Promise<Result> {
  await page.evaluate(
    `(() => { history.pushState(null, '', '/ui/runs'); dispatchEvent(new PopStateEvent('popstate')) })()`,
  )
  await page.getByRole('row').nth(5).waitFor()
  const longest = await page.evaluate<{
    readonly ms: number
    readonly tasks: number
    readonly height: number
  }>(`(${scrollThrough})(${rows})`)
  const detail = `${rows} runs, ${longest.tasks} tasks over ${taskMsMax} ms, list of ${longest.height} pixels`
  return atMost('dashboard.scroll-longest-task', longest.ms, taskMsMax, 'ms', detail)
}

/** Runs in the page. A task that is at most 50 ms long is not reported by browsers. */
const scrollThrough = `async (rows) => {
  let ms = 0
  let tasks = 0
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) { ms = Math.max(ms, duration); tasks++ }
  })
  observer.observe({ type: 'longtask' })
  const scroller = document.querySelector('[role="table"]').parentElement
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  let still = 0
  for (let at = 0; at < 20000 && still < 60; at++) {
    const before = scroller.scrollTop
    scroller.scrollTop += 900
    await frame()
    still = scroller.scrollTop === before ? still + 1 : 0
  }
  observer.disconnect()
  return { ms, tasks, height: scroller.scrollHeight }
}`
