/** Parses large lockfiles in a thread: a megabyte takes seconds, in which nothing else of the process would run. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { parseYaml } from './lockfile-reading.ts'

/** Less than a thread takes to start. */
const charsHere = 32 * 1024
const limitMs = 120_000

/** Undefined: it is not YAML, or cannot be parsed within the limits. */
export async function parseYamlAside(text: string): Promise<unknown> {
  const thread = new URL('./yaml-thread.js', import.meta.url)
  // Tests of the sources have no built file.
  if (text.length <= charsHere || !existsSync(fileURLToPath(thread))) return parseYaml(text)
  const worker = new Worker(thread, {
    workerData: text,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 2048 },
  })
  try {
    return await new Promise<unknown>((resolve) => {
      const timer = setTimeout(resolve, limitMs)
      const end = (value?: unknown): void => {
        clearTimeout(timer)
        resolve(value)
      }
      worker.on('message', end)
      worker.on('error', () => end())
      worker.on('exit', () => end())
    })
  } finally {
    await worker.terminate()
  }
}
