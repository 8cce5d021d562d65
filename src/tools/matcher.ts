/**
 * Runs regular expressions written by agents on text written by agents. Some would run practically
 * forever, so they run in a separate thread that is terminated if it does not answer.
 */

import { Worker } from 'node:worker_threads'
import { ToolError } from './tool.ts'

export interface Match {
  readonly index: number
  /** Where in the text the match starts. */
  readonly at: number
}

export interface Matcher {
  /** Returns which texts match. Rejects with `timeout`, and with the signal's reason. */
  find(texts: readonly string[]): Promise<readonly Match[]>
  close(): Promise<void>
}

export interface MatcherLimits {
  readonly signal: AbortSignal
  /** For one batch of texts, which normally takes milliseconds. */
  readonly answerMs: number
}

// A string, because the thread must run the same from the sources and from the build.
const threadCode = `
const { parentPort, workerData } = require('node:worker_threads')
const pattern = new RegExp(workerData.source, workerData.flags)
parentPort.on('message', (texts) => {
  const matches = []
  for (let index = 0; index < texts.length; index++) {
    const at = texts[index].search(pattern)
    if (at >= 0) matches.push({ index, at })
  }
  parentPort.postMessage(matches)
})
`

/** The expression must be valid. */
export function createMatcher({ source, flags }: RegExp, limits: MatcherLimits): Matcher {
  const worker = new Worker(threadCode, {
    eval: true,
    workerData: { source, flags },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  // Errors are reported to the pending request.
  worker.on('error', () => {})
  return {
    find: (texts) => ask(worker, texts, limits),
    async close() {
      await worker.terminate()
    },
  }
}

function ask(
  worker: Worker,
  texts: readonly string[],
  { signal, answerMs }: MatcherLimits,
): Promise<readonly Match[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(createTimeoutError())), answerMs)
    const onAbort = (): void => done(() => reject(signal.reason))
    const onMessage = (matches: readonly Match[]): void => done(() => resolve(matches))
    const onError = (error: unknown): void => done(() => reject(error))
    const onExit = (): void => done(() => reject(createTimeoutError()))
    const done = (settle: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      settle()
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
    worker.postMessage(texts)
  })
}

const createTimeoutError = (): ToolError =>
  new ToolError(
    'timeout',
    'The pattern takes too long on this text. Use a simpler one: fewer nested or repeated * and +.',
  )

/** Without a thread: only for expressions that cannot be slow on any text. */
export function createQuickMatcher(expression: RegExp): Matcher {
  return {
    async find(texts) {
      const matches: Match[] = []
      for (const [index, text] of texts.entries()) {
        const at = text.search(expression)
        if (at >= 0) matches.push({ index, at })
      }
      return matches
    },
    async close() {},
  }
}
