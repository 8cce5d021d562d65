/**
 * `npm start`: runs the loop file of examples/fix-sum as a user would, with `loopctl run`, on a copy
 * of its project. When the last run of it was left or killed, it goes on with that one.
 */

import { spawn } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isEnd, openHost, stateFolder } from 'loopwright'

const root = fileURLToPath(new URL('../..', import.meta.url))
const example = join(root, 'examples', 'fix-sum')
const loopctl = join(root, 'dist', 'cli', 'loopctl.js')

export async function startFile(): Promise<number> {
  const folder = stateFolder()
  const open = await openRun(folder)
  // Whoever types this watches it, also where there is no terminal to ask at.
  const ours = ['--trust', '--attended']
  if (open !== undefined) return ctl(['resume', open, ...ours])
  const workspace = freshCopy(folder)
  process.stdout.write(
    'A scripted agent stands in for a model here; nothing is called over the network.\n' +
      `  loopctl run examples/fix-sum/loop.yaml --workspace ${workspace}\n\n`,
  )
  return ctl(['run', join(example, 'loop.yaml'), ...ours, '--workspace', workspace])
}

async function openRun(folder: string): Promise<string | undefined> {
  const host = await openHost({ folder })
  try {
    const runs = await host.list()
    return runs.find((run) => run.loop === 'fix-sum' && !isEnd(run.status) && !run.held)?.name
  } finally {
    await host.close()
  }
}

/** The project stays as it is; each run works on a copy of its own. */
function freshCopy(folder: string): string {
  let number = 1
  while (existsSync(join(folder, 'examples', `fix-sum-${number}`))) number++
  const workspace = join(folder, 'examples', `fix-sum-${number}`)
  cpSync(join(example, 'project'), workspace, { recursive: true })
  return workspace
}

/** Ctrl-C reaches it too, since it shares our terminal; we only wait for its end. */
function ctl(args: readonly string[]): Promise<number> {
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  const child = spawn(process.execPath, [loopctl, ...args], { stdio: 'inherit' })
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
