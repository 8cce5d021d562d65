/**
 * The supervisor's side of a worker: handles one request at a time, and is killed when it takes too
 * long.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import type { Answer, Ask, OpenAsk } from './worker.ts'

export interface WorkerProcess {
  /**
   * Reads answers until `isLast`; undefined if the worker had to be killed. It is then restarted.
   */
  ask(ask: Ask, options: AskOptions): Promise<Answer | undefined>
  /** Resolves when the process is gone. */
  close(): Promise<void>
}

export interface AskOptions {
  /** For each answer, not for all of them. */
  readonly timeoutMs: number
  readonly isLast: (answer: Answer) => boolean
  readonly onAnswer?: (answer: Answer) => void
}

const openTimeoutMs = 20_000
const heapMb = 512
/** Restarted after this many requests: leaks are not worth investigating. */
const asksMax = 1500
const rssMax = 700 * 1024 * 1024

const bootstrap =
  "process.once('message', ({ program, ask }) => { import(program).then((made) => made.serve(ask)) })"
const flags = [
  '--experimental-vm-modules',
  '--experimental-import-meta-resolve',
  '--no-warnings',
  `--max-old-space-size=${heapMb}`,
]

export function createWorkerProcess(program: string, open: OpenAsk): WorkerProcess {
  let child: ChildProcess | undefined
  let asks = 0

  function kill(): void {
    child?.kill('SIGKILL')
    child = undefined
  }

  async function start(): Promise<ChildProcess | undefined> {
    const started = spawn(process.execPath, [...flags, '-e', bootstrap], {
      cwd: open.root,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.on('error', () => {})
    child = started
    asks = 0
    const opened = await exchange(started, { program, ask: open }, kill, {
      timeoutMs: openTimeoutMs,
      isLast: ({ type }) => type === 'opened',
    })
    return opened === undefined ? undefined : started
  }

  return {
    async ask(ask, options) {
      if (child !== undefined && asks >= asksMax) kill()
      const started = child ?? (await start())
      if (started === undefined) return undefined
      asks++
      const answer = await exchange(started, ask, kill, options)
      if (answer?.type === 'tried' && answer.rss > rssMax) kill()
      return answer
    },
    async close() {
      const last = child
      if (last === undefined) return
      const gone = new Promise((resolve) => last.once('exit', resolve))
      kill()
      await gone
    },
  }
}

function exchange(
  started: ChildProcess,
  ask: object,
  kill: () => void,
  options: AskOptions,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const end = (answer: Answer | undefined): void => {
      clearTimeout(timer)
      started.off('message', onMessage).off('exit', gone)
      if (answer === undefined) kill()
      resolve(answer)
    }
    const gone = (): void => end(undefined)
    const arm = (): void => {
      clearTimeout(timer)
      timer = setTimeout(gone, options.timeoutMs)
    }
    const onMessage = (answer: Answer): void => {
      options.onAnswer?.(answer)
      if (options.isLast(answer)) end(answer)
      else arm()
    }
    started.on('message', onMessage).once('exit', gone)
    arm()
    started.send(ask, (error) => {
      if (error !== null) gone()
    })
  })
}
