/**
 * loopctl without its startup: processes that have it loaded run the commands of the tests, one
 * after another, each with its own environment. They outlive the test file, because loading takes
 * longer than most commands. Start and end of a process, signals and pipes are tested with
 * `dist/cli/loopctl.js` itself.
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
/** A process that has grown takes longer to start others. */
const commandsMax = 60

interface Warm {
  readonly child: ChildProcess
  commands: number
  /** It has looked for programs on another PATH, and may have kept what it found. */
  isTainted: boolean
}

const idle: Warm[] = []
/** Not for the tests of other files. */
let tainted: Warm[] = []

/** Default folder: that of the tests. */
export async function warmLoopctl(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string = process.cwd(),
): Promise<Ended> {
  const isOther = env['PATH'] !== process.env['PATH']
  const warm = (isOther ? tainted.pop() : undefined) ?? idle.pop() ?? (await start())
  const { child } = warm
  warm.isTainted ||= isOther
  let isBusy = true
  // A command that its test did not wait for must not stay.
  afterFile(() => isBusy && child.kill('SIGKILL'))
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
  isBusy = false
  warm.commands += 1
  if (warm.commands >= commandsMax) child.disconnect()
  else if (!warm.isTainted) idle.push(warm)
  else {
    tainted.push(warm)
    afterFile(dropTainted)
  }
  return ended
}

function dropTainted(): void {
  for (const { child } of tainted) child.disconnect()
  tainted = []
}

async function start(): Promise<Warm> {
  const child = fork(program, [], {
    env: { PATH: process.env['PATH'] },
    execArgv: [],
    // It has no terminal, even if the tests have one.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  // It ends with this process, and does not keep it alive.
  child.unref()
  child.channel?.unref()
  return { child, commands: 0, isTainted: false }
}
