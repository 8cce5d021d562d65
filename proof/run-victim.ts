/** Starts a victim in a process of its own and says how it ended. */

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Kill, VictimJob } from './victim-job.ts'

export type VictimEnd = 'done' | 'killed' | { readonly failed: string }

/** A site of no call: the parent kills it so many milliseconds after its start. */
export const anyMoment = 'any-moment'

const program = fileURLToPath(new URL('./victim.js', import.meta.url))
const hangMs = 60_000

export function runVictim(job: VictimJob): Promise<VictimEnd> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, JSON.stringify(job)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const { kill } = job
    let errors = ''
    let hung = false
    const momentMs = kill?.site === anyMoment ? kill.occurrence : hangMs
    const timer = setTimeout(() => {
      hung = momentMs === hangMs
      child.kill('SIGKILL')
    }, momentMs)
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString('utf8')
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (hung) resolve({ failed: `it did not end within ${hangMs} ms: ${errors}` })
      else if (signal === 'SIGKILL') resolve('killed')
      else if (code === 0) resolve('done')
      else resolve({ failed: `it ended with ${code ?? signal}: ${errors}` })
    })
  })
}

export const describeKill = ({ site, phase, occurrence }: Kill): string =>
  `${site} ${phase} ${occurrence}`
