/**
 * Repositories and folders of fixtures. Each process that a test starts costs some 15 ms, because the test
 * runner has grown large: one shell starts all commands of git.
 */

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'

const script = `
git init -q -b main
git add -A
git -c user.name=A -c user.email=a@localhost commit -q --allow-empty -m first`

/** Makes a folder a repository, with all its files in the first commit, on main. */
export function commitFirst(folder: string, env: NodeJS.ProcessEnv): void {
  execFileSync('/bin/sh', ['-ec', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Also one with folders that their owner cannot write to. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    execFileSync('chmod', ['-R', 'u+rwX', folder])
    rmSync(folder, { recursive: true, force: true })
  }
}
