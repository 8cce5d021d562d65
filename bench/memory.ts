/**
 * A 1 GB artifact, a 50 MB step result and a command that prints 1 GB, each in a process of its own
 * that reports its memory.
 */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atMost, type Suite } from './report.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('./memory-child.js', import.meta.url))

export const commandMemory: Suite = {
  area: 'sandbox',
  title: 'memory under a command that prints 1 GB',
  async run() {
    const { peakMb, detail } = await growthMb('command')
    return [atMost('sandbox.output-1gb-memory', peakMb, 200, 'MB above start', detail)]
  },
}

export const memory: Suite = {
  area: 'journal',
  title: 'memory under a 1 GB artifact and a 50 MB result',
  async run() {
    const artifact = await growthMb('artifact')
    const result = await growthMb('result')
    return [
      atMost(
        'journal.artifact-1gb-memory',
        artifact.peakMb,
        200,
        'MB above start',
        artifact.detail,
      ),
      atMost('engine.result-50mb-memory', result.afterMb, 200, 'MB above start', result.detail),
    ]
  },
}

interface Growth {
  readonly peakMb: number
  readonly afterMb: number
  readonly detail: string
}

async function growthMb(what: string): Promise<Growth> {
  const { stdout } = await run(process.execPath, ['--expose-gc', program, what])
  const { startMb, peakMb, afterMb } = JSON.parse(stdout) as Record<string, number>
  const from = startMb ?? 0
  const peak = (peakMb ?? 0) - from
  const after = (afterMb ?? 0) - from
  return { peakMb: peak, afterMb: after, detail: `peak ${peak} MB, afterwards ${after} MB` }
}
