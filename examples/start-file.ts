/** `npm start`: runs a loop file with its own project, through `loopctl demo`. */

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

/** Loop files that have their own project. */
export const loopFiles = ['mend-duration', 'build-text', 'fix-sum'] as const
export type LoopFileName = (typeof loopFiles)[number]

/** Ctrl-C reaches it too, since it shares our terminal; we only wait for its end. */
export function startFile(name: LoopFileName, agent: string | undefined): Promise<number> {
  const args = ['demo', name, ...(agent === undefined ? [] : ['--agent', agent])]
  process.on('SIGINT', () => undefined)
  const child = spawn(process.execPath, [loopctl, ...args], { stdio: 'inherit' })
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
