/**
 * Watches whether an agent may continue: not silent for too long, within its time limit, and the
 * run not stopped.
 */

import type { AgentContext } from '../../loop/index.ts'
import { createTimeLimitedSignal } from '../abortable.ts'
import { defaultIdleMs, type ProgramWatchOptions, watchProgram } from '../programs/program-watch.ts'

export interface AcpWatchOptions
  extends Pick<ProgramWatchOptions, 'idleMs' | 'isBusy' | 'hasResult' | 'clock'> {
  readonly timeoutMs?: number
}

/** `silent`: it did not answer the handshake. `interrupted`: the run is being stopped. */
export type WatchEnd = 'idle' | 'time' | 'silent' | 'interrupted'

export const defaultTimeoutMs: number = 30 * 60_000
/** A program that sends nothing within this time does not speak the protocol. */
const handshakeMs = 60_000

export interface AcpWatch {
  readonly over: Promise<WatchEnd>
  readonly isOver: boolean
  noteOutput(): void
  /** It speaks the protocol; from now on it may be silent for longer. */
  markHandshake(): void
  stop(): void
}

export function watchAcp(options: AcpWatchOptions, { signal }: AgentContext): AcpWatch {
  const { idleMs = defaultIdleMs, timeoutMs = defaultTimeoutMs } = options
  const first = watchProgram({ ...options, idleMs: Math.min(idleMs, handshakeMs) }, signal)
  const idle = watchProgram({ ...options, idleMs }, signal)
  const time = createTimeLimitedSignal(signal, timeoutMs, () => undefined)
  const findReason = (): WatchEnd => {
    if (signal.aborted) return 'interrupted'
    if (idle.ended !== undefined) return 'idle'
    return first.ended === undefined ? 'time' : 'silent'
  }
  const all = AbortSignal.any([first.signal, idle.signal, time.signal])
  return {
    get isOver() {
      return all.aborted
    },
    over: new Promise((resolve) => {
      const end = (): void => resolve(findReason())
      all.addEventListener('abort', end, { once: true })
      if (all.aborted) end()
    }),
    noteOutput: idle.noteOutput,
    markHandshake: first.stop,
    stop() {
      first.stop()
      idle.stop()
      time.free()
    },
  }
}
