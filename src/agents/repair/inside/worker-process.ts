/** One worker as the supervisor has it: asked one thing at a time, killed when it takes too long. */

import { type ChildProcess, spawn } from 'node:child_process'
import type { Answer, Ask, OpenAsk } from './worker.ts'

export interface WorkerProcess {
  /** Answers until one that `isLast`; undefined when it had to be killed. It is started again then. */
  ask(ask: Ask, options: AskOptions): Promise<Answer | undefined>
  /** Resolves when it is gone. */
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
/** It is not worth finding out what leaks. */
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
    const made = spawn(process.execPath, [...flags, '-e', bootstrap], {
      cwd: open.root,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    made.on('error', () => {})
    child = made
    asks = 0
    const opened = await exchange(made, { program, ask: open }, kill, {
      timeoutMs: openTimeoutMs,
      isLast: ({ type }) => type === 'opened',
    })
    return opened === undefined ? undefined : made
  }

  return {
    async ask(ask, options) {
      if (child !== undefined && asks >= asksMax) kill()
      const made = child ?? (await start())
      if (made === undefined) return undefined
      asks++
      const answer = await exchange(made, ask, kill, options)
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
  made: ChildProcess,
  ask: object,
  kill: () => void,
  options: AskOptions,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const end = (answer: Answer | undefined): void => {
      clearTimeout(timer)
      made.off('message', hear).off('exit', gone)
      if (answer === undefined) kill()
      resolve(answer)
    }
    const gone = (): void => end(undefined)
    const arm = (): void => {
      clearTimeout(timer)
      timer = setTimeout(gone, options.timeoutMs)
    }
    const hear = (answer: Answer): void => {
      options.onAnswer?.(answer)
      if (options.isLast(answer)) end(answer)
      else arm()
    }
    made.on('message', hear).once('exit', gone)
    arm()
    made.send(ask, (error) => {
      if (error !== null) gone()
    })
  })
}
