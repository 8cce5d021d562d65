/**
 * A git process that answers several calls, so that looking up a name, reading a small object or moving a ref costs
 * no process each. It has the environment of any other call.
 *
 * It ends soon after its last answer, and with this process: its input closes then. Between two answers it holds no
 * lock. A lookup after a pause gets a new one, which sees what a garbage collection left.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { GitError, killGroup, type Program } from './run-program.ts'

/** Longer than the pause between two calls of an iteration that has little to do. */
const idleMsDefault = 10_000

/** One call. */
export interface Question {
  readonly input: Uint8Array
  /** Whether this is the whole answer. */
  isComplete(output: Buffer): boolean
  readonly timeoutMs: number
  readonly outputBytesMax: number
}

interface Pending {
  readonly question: Question
  readonly timer: NodeJS.Timeout
  resolve(output: Buffer): void
  reject(error: Error): void
}

interface Session {
  ask(question: Question): Promise<Buffer>
  readonly isUsable: () => boolean
}

const sessions = new Map<string, Session>()

/** Rejects with `GitError`: `refused` if the process ended by itself, `lost` if it was killed and may have answered. */
export function askSession(
  key: string,
  program: Program,
  question: Question,
  idleMs: number = idleMsDefault,
): Promise<Buffer> {
  const known = sessions.get(key)
  const used = known?.isUsable() === true ? known : start(program, idleMs, () => forget(key, used))
  sessions.set(key, used)
  return used.ask(question)
}

function forget(key: string, session: Session): void {
  if (sessions.get(key) === session) sessions.delete(key)
}

type Child = ChildProcessByStdio<Writable, Readable, null>

const spawnChild = ({ program, args, env }: Program): Child =>
  spawn(program, args, {
    cwd: '/',
    detached: true,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })

function start(started: Program, idleMs: number, onEnd: () => void): Session {
  const child = spawnChild(started)
  const { name } = started
  let output = Buffer.alloc(0)
  let pending: Pending | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let isOver = false
  let asked = 0
  let idle: NodeJS.Timeout | undefined

  function end(reason: GitError['why']): void {
    if (isOver) return
    isOver = true
    clearTimeout(idle)
    onEnd()
    killGroup(child)
    pending?.reject(new GitError(reason, name, ''))
  }
  // Only while nothing is asked: a kill while it changes a ref would leave its locks.
  const endWhenIdle = (): void => {
    clearTimeout(idle)
    if (asked === 0 && !isOver) idle = setTimeout(end, idleMs, 'refused').unref()
  }
  // A pipe that nothing waits for must not keep this process alive.
  const hold = (isHeld: boolean): void => {
    for (const one of [child, child.stdin, child.stdout]) setReferenced(one, isHeld)
  }
  child.on('error', () => end('refused'))
  child.on('close', (code) => end(code === null ? 'lost' : 'refused'))
  // How it ended is known when it is closed.
  child.stdin.on('error', () => killGroup(child))
  child.stdout.on('data', (chunk: Buffer) => {
    output = Buffer.concat([output, chunk])
    if (pending === undefined) return
    const { question, resolve } = pending
    if (output.length > question.outputBytesMax) end('output')
    if (!question.isComplete(output)) return
    const answer = output
    output = Buffer.alloc(0)
    resolve(answer)
  })

  async function askOnce(question: Question): Promise<Buffer> {
    if (isOver) throw new GitError('refused', name, '')
    hold(true)
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const timer = setTimeout(() => end('timeout'), question.timeoutMs)
        pending = { question, timer, resolve, reject }
        child.stdin.write(question.input)
      })
    } finally {
      clearTimeout(pending?.timer)
      pending = undefined
      hold(false)
    }
  }

  hold(false)
  return {
    isUsable: () => !isOver,
    ask(question) {
      asked += 1
      clearTimeout(idle)
      const result = queue.then(() => askOnce(question))
      queue = result
        .catch(() => {})
        .finally(() => {
          asked -= 1
          endWhenIdle()
        })
      return result
    },
  }
}

function setReferenced(one: object, isReferenced: boolean): void {
  const { ref, unref } = one as { ref?: () => void; unref?: () => void }
  const change = isReferenced ? ref : unref
  change?.call(one)
}
