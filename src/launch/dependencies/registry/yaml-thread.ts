/** The worker thread of parse-yaml-in-thread.ts. */

import { parentPort, workerData } from 'node:worker_threads'
import { parseYaml } from './lockfile-reading.ts'

const value = parseYaml(String(workerData))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is not a window
parentPort?.postMessage(value)
