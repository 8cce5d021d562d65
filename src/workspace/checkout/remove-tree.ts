/**
 * Removes a folder that hostile code may have filled: with unreadable folders, and with paths that exceed the
 * system's limit. The system programs descend folder by folder, while Node uses absolute paths.
 */

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { runProgram } from '../git/run-program.ts'
import { treeTimeoutMs } from '../worktree/work-tree.ts'

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
