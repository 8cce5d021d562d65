/**
 * Removes what hostile code may have left: folders that nobody may enter, and paths that are longer than
 * the system can name. The system's own programs go from folder to folder; Node names whole paths.
 */

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { runProgram } from '../git/run-program.ts'
import { treeTimeoutMs } from '../git/work-tree.ts'

export async function removeTree(path: string): Promise<void> {
  if (await run('rm', ['-rf', '--', path])) return
  await run('chmod', ['-R', 'u+rwx', '--', path])
  if (await run('rm', ['-rf', '--', path])) return
  await rm(path, { recursive: true, force: true })
}

async function run(name: string, args: readonly string[]): Promise<boolean> {
  const program = [`/bin/${name}`, `/usr/bin/${name}`].find((one) => existsSync(one))
  if (program === undefined) return false
  const env = { LC_ALL: 'C', PATH: '/usr/bin:/bin' }
  return runProgram({ name, program, args, env }, { timeoutMs: treeTimeoutMs }).then(
    () => true,
    () => false,
  )
}
