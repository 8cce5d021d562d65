/** Parses large lockfiles in a thread, because a megabyte would block the process for seconds. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { parseYaml } from './lockfile-reading.ts'

/** Shorter texts are parsed faster than a thread starts. */
const inlineCharsMax = 32 * 1024
const limitMs = 120_000

/** Undefined: it is not YAML, or cannot be parsed within the limits. */
export async function parseYamlInThread(text: string): Promise<unknown> {
  const thread = new URL('./yaml-thread.js', import.meta.url)
  // Unit tests run the sources, without the built file.
  if (text.length <= inlineCharsMax || !existsSync(fileURLToPath(thread))) return parseYaml(text)
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
