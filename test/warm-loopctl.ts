/**
 * loopctl without its start: processes that have it loaded do the commands of a file of stories, one
 * after the other, each with an environment of its own. How a process begins and ends, signals and pipes
 * are stories of `dist/cli/loopctl.js` itself.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterFile } from './after.ts'

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const program = new URL('warm-loopctl.mjs', import.meta.url).pathname

/** Those that wait for a command. */
let idle: ChildProcess[] = []

/** In the folder of the tests unless told. */
export async function warmLoopctl(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string = process.cwd(),
): Promise<Ended> {
  const child = idle.pop() ?? (await start())
  const ended = await new Promise<Ended>((resolve, reject) => {
    const lost = (code: number | null): void =>
      reject(new Error(`loopctl ${args.join(' ')} ended its process with ${code}.`))
    child.once('exit', lost)
    child.once('message', (message: Ended) => {
      child.off('exit', lost)
      resolve(message)
    })
    child.send({ args, env, cwd })
  })
  idle.push(child)
  return ended
}

async function start(): Promise<ChildProcess> {
  const child = fork(program, [], {
    env: { PATH: process.env['PATH'] },
    execArgv: [],
    // Nobody is at a terminal, whoever started the tests.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  afterFile(async () => {
    idle = idle.filter((one) => one !== child)
    if (child.exitCode !== null || child.signalCode !== null) return
    child.disconnect()
    await once(child, 'exit')
  })
  await once(child, 'message')
  return child
}
