/** Whether an agent still has its time: as long as it is not silent too long, and the run goes on. */

import type { AgentContext } from '../../loop/index.ts'
import { boundedSignal } from '../abortable.ts'
import { defaultIdleMs, type ProgramWatchOptions, watchProgram } from '../programs/program-watch.ts'

export interface AcpWatchOptions
  extends Pick<ProgramWatchOptions, 'idleMs' | 'isBusy' | 'hasResult' | 'clock'> {
  readonly timeoutMs?: number
}

/** `silent`: it did not even answer the first question. `interrupted`: the run is stopped. */
export type Cut = 'idle' | 'time' | 'silent' | 'interrupted'

export const defaultTimeoutMs: number = 30 * 60_000
/** A program that says nothing at all in that time does not speak the protocol. */
const handshakeMs = 60_000

export interface AcpWatch {
  readonly over: Promise<Cut>
  readonly isOver: boolean
  heard(): void
  /** It speaks the protocol; from now on it may be silent for longer. */
  hasAnswered(): void
  stop(): void
}

export function watchAcp(options: AcpWatchOptions, { signal }: AgentContext): AcpWatch {
  const { idleMs = defaultIdleMs, timeoutMs = defaultTimeoutMs } = options
  const first = watchProgram({ ...options, idleMs: Math.min(idleMs, handshakeMs) }, signal)
  const idle = watchProgram({ ...options, idleMs }, signal)
  const time = boundedSignal(signal, timeoutMs, () => undefined)
  const why = (): Cut => {
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
      const end = (): void => resolve(why())
      all.addEventListener('abort', end, { once: true })
      if (all.aborted) end()
    }),
    heard: idle.heard,
    hasAnswered: first.stop,
    stop() {
      first.stop()
      idle.stop()
      time.free()
    },
  }
}
