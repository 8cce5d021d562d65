/**
 * A git process that answers several lookups (`cat-file --batch-check`), so that looking up a name or an object
 * costs no process each. It has the environment of any other call, and only reads.
 *
 * It ends soon after its last answer, and with this process: its input closes then. A lookup after a pause gets a new
 * one, which sees what a garbage collection left.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { GitError, killGroup, type Program } from './run-program.ts'

const idleMs = 1000
/** Longer inputs get a process for themselves. */
export const lookupBytesMax: number = 16 * 1024

interface Pending {
  readonly lines: number
  readonly timer: NodeJS.Timeout
  resolve(output: Buffer): void
  reject(error: Error): void
}

interface LookupProcess {
  ask(input: Uint8Array, timeoutMs: number): Promise<Buffer>
  readonly isUsable: () => boolean
}

const processes = new Map<string, LookupProcess>()

/** One line for each line of the input, which ends with a newline. Rejects with `GitError`. */
export function lookUp(
  key: string,
  program: Program,
  input: Uint8Array,
  timeoutMs: number,
): Promise<Buffer> {
  const known = processes.get(key)
  const used = known?.isUsable() === true ? known : start(program, () => processes.delete(key))
  processes.set(key, used)
  return used.ask(input, timeoutMs)
}

type Child = ChildProcessByStdio<Writable, Readable, null>

function start({ name, program, args, env }: Program, onEnd: () => void): LookupProcess {
  const child: Child = spawn(program, args, {
    cwd: '/',
    detached: true,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let output = Buffer.alloc(0)
  let pending: Pending | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let isOver = false
  let lastMs = Date.now()
  const idle = setTimeout(() => end(), idleMs)
  idle.unref()

  function end(reason: GitError['why'] = 'refused'): void {
    if (isOver) return
    isOver = true
    clearTimeout(idle)
    onEnd()
    killGroup(child)
    pending?.reject(new GitError(reason, name, ''))
  }
  // A pipe that nothing waits for must not keep this process alive.
  const hold = (isHeld: boolean): void => {
    for (const one of [child, child.stdin, child.stdout]) setReferenced(one, isHeld)
  }
  child.on('error', () => end())
  child.on('close', () => end())
  child.stdin.on('error', () => end())
  child.stdout.on('data', (chunk: Buffer) => {
    output = Buffer.concat([output, chunk])
    if (pending === undefined || countLines(output) < pending.lines) return
    const { resolve } = pending
    const answer = output
    output = Buffer.alloc(0)
    resolve(answer)
  })

  async function askOnce(input: Uint8Array, timeoutMs: number): Promise<Buffer> {
    if (isOver) throw new GitError('refused', name, '')
    hold(true)
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const timer = setTimeout(() => end('timeout'), timeoutMs)
        pending = { lines: countLines(input), timer, resolve, reject }
        child.stdin.write(input)
      })
    } finally {
      clearTimeout(pending?.timer)
      pending = undefined
      lastMs = Date.now()
      idle.refresh()
      hold(false)
    }
  }

  hold(false)
  return {
    isUsable: () => !isOver && (pending !== undefined || Date.now() - lastMs < idleMs),
    ask(input, timeoutMs) {
      const result = queue.then(() => askOnce(input, timeoutMs))
      queue = result.catch(() => {})
      return result
    },
  }
}

const newline = 10

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === newline) count += 1
  return count
}

function setReferenced(one: object, isReferenced: boolean): void {
  const { ref, unref } = one as { ref?: () => void; unref?: () => void }
  const change = isReferenced ? ref : unref
  change?.call(one)
}
