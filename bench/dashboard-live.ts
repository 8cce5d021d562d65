/** From an event of a run to the pixels that show it, with 50 runs at work in the daemon; and a long log. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoopType } from 'loopwright'
import type { Page } from 'playwright-core'
import { createDaemon } from '#src/daemon/index.ts'
import { percentile } from './bench-daemon.ts'
import { openBenchTab, startChromium } from './chromium.ts'
import { atMost, median, type Result, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const liveRuns = 50
const saysEveryMs = 500
const watchedMs = 15_000
const pixelMsMax = 300
const logLines = 100_000
/** A longer note is shortened. */
const linesPerNote = 10
const taskMsMax = 50
const token = 'b'.repeat(43)

type Daemon = Awaited<ReturnType<typeof createDaemon>>

export const dashboardLive: Suite = {
  area: 'dashboard',
  title: `${liveRuns} live runs, and a log of ${logLines} lines`,
  async run({ scale }) {
    if (!existsSync('/usr/bin/chromium')) return []
    return withFolder(async (folder) => {
      const daemon = await createDaemon(
        {
          folder: join(folder, 'state'),
          hostname: '127.0.0.1',
          port: 0,
          maxConcurrentRuns: 100,
          maxRunsPerWorkspace: 100,
          queuePolicy: 'fifo',
        },
        { token, logLevel: 'silent' },
      )
      const browser = await startChromium()
      const stop = new AbortController()
      try {
        await printLog(daemon, Math.max(1000, Math.round(logLines * scale)))
        const { page } = await openBenchTab(browser, { address: daemon.address, token })
        const log = await measureLog(page)
        const { ended } = await startTalking(daemon, stop.signal)
        const live = await measurePixels(page)
        stop.abort()
        await ended
        return [log, live]
      } finally {
        stop.abort()
        await browser.close()
        await daemon.stop({ atOnce: true })
      }
    })
  },
}

/** One iteration, whose agent says something again and again. */
const talking: LoopType<null, null, null, null> = {
  name: 'bench-talk',
  createContext: () => null,
  async iterate(_context, it) {
    await it.agent('maker', { prompt: 'Talk.' })
    return null
  },
  extractProgress: () => null,
}

const done = {
  status: 'done',
  text: 'Done.',
  usage: { tokens: 0, costMicros: 0 },
  turns: 1,
} as const

async function printLog({ host }: Daemon, lines: number): Promise<void> {
  const handle = await host.start(talking, {
    name: 'log',
    input: null,
    limits: { iterations: 1 },
    agents: {
      async work(_role, _task, context) {
        for (let at = 0; at < lines; at += linesPerNote) {
          const text = Array.from(
            { length: linesPerNote },
            (_, line) => `\u001b[32mok\u001b[0m ${at + line}: converted src/file-${at + line}.ts`,
          ).join('\n')
          context.note({ type: 'said', text: `${text}\n` })
          // Notes share commits; a buffer has a limit.
          if (at % (20 * linesPerNote) === 0) await sleep(1)
        }
        return done
      },
    },
  })
  await handle.done
}

/** `ended` resolves when none of them talks any more. */
async function startTalking(
  { host }: Daemon,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<unknown> }> {
  const handles = []
  for (let at = 0; at < liveRuns; at++) {
    const handle = await host.start(talking, {
      name: `talk-${at}`,
      input: null,
      limits: { iterations: 1 },
      agents: {
        async work(_role, _task, context) {
          await sleep(Math.round((saysEveryMs * at) / liveRuns))
          while (!signal.aborted) {
            context.note({ type: 'said', text: `said at ${Date.now()}` })
            await sleep(saysEveryMs)
          }
          return done
        },
      },
    })
    handles.push(handle.done)
  }
  return { ended: Promise.allSettled(handles) }
}

async function measurePixels(page: Page): Promise<Result> {
  await open(page, '/runs')
  await page
    .getByText(/said at \d+/)
    .first()
    .waitFor()
  const times = await page.evaluate<readonly number[]>(`(${watchRows})(${watchedMs})`)
  const detail = `${times.length} changes of rows in ${watchedMs / 1000} s; median ${median(times).toFixed(0)} ms`
  return atMost('dashboard.event-to-pixel-p95', percentile(times, 0.95), pixelMsMax, 'ms', detail)
}

/** Runs in the page: the age of each new text, in the frame that shows it. */
const watchRows = `async (forMs) => {
  const seen = new Map()
  const ages = []
  const look = () => {
    for (const row of document.querySelectorAll('[role="row"]')) {
      const said = /said at (\\d{13})/.exec(row.textContent ?? '')?.[1]
      const name = row.querySelector('a')?.textContent
      if (said === undefined || name === undefined || seen.get(name) === said) continue
      if (seen.has(name)) ages.push(Date.now() - Number(said))
      seen.set(name, said)
    }
  }
  const endMs = performance.now() + forMs
  while (performance.now() < endMs) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    look()
  }
  return ages
}`

/** Scrolls up and down in the whole log. */
async function measureLog(page: Page): Promise<Result> {
  await open(page, '/runs/log/log')
  await page.getByText(/^Complete$/).waitFor({ timeout: 120_000 })
  const found = await page.evaluate<{
    readonly ms: number
    readonly tasks: number
    readonly lines: string
  }>(`(${scrollLog})()`)
  const detail = `${found.lines}, ${found.tasks} tasks over ${taskMsMax} ms`
  return atMost('dashboard.log-longest-task', found.ms, taskMsMax, 'ms', detail)
}

const scrollLog = `async () => {
  let ms = 0
  let tasks = 0
  await new Promise((resolve) => setTimeout(resolve, 500))
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) { ms = Math.max(ms, duration); tasks++ }
  })
  observer.observe({ type: 'longtask' })
  const log = document.querySelector('[role="log"]')
  const frames = 400
  for (let at = 0; at <= frames; at++) {
    const share = at < frames / 2 ? (2 * at) / frames : 2 - (2 * at) / frames
    log.scrollTop = share * (log.scrollHeight - log.clientHeight)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  observer.disconnect()
  const lines = document.querySelector('main')?.innerText.match(/[\\d,]+ lines/)?.[0] ?? ''
  return { ms, tasks, lines }
}`

const open = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(
    `(() => { history.pushState(null, '', '/ui${path}'); dispatchEvent(new PopStateEvent('popstate')) })()`,
  )
}
