/** How long each phase of a certification takes. Phases that overlap with themselves count once. */

/**
 * `sandbox`: opening and closing sandboxes, and finding out what they can do. `dependencies`: opening and releasing the
 * dependency layer. `checkout`: making, resetting and removing clean checkouts. `checks`: running the checks.
 */
export type Phase = 'sandbox' | 'dependencies' | 'checkout' | 'checks'

export type PhaseTimes = Readonly<Record<Phase | 'total', number>>

export interface PhaseClock {
  during<T>(phase: Phase, work: () => Promise<T>): Promise<T>
  /** In milliseconds; `total` is the time since the clock was created. */
  times(): PhaseTimes
}

interface Spent {
  active: number
  sinceMs: number
  ms: number
}

export function createPhaseClock(nowMs: () => number = () => performance.now()): PhaseClock {
  const startedMs = nowMs()
  const spent = new Map<Phase, Spent>()
  return {
    async during(phase, work) {
      const one = spent.get(phase) ?? { active: 0, sinceMs: 0, ms: 0 }
      spent.set(phase, one)
      if (one.active === 0) one.sinceMs = nowMs()
      one.active += 1
      try {
        return await work()
      } finally {
        one.active -= 1
        if (one.active === 0) one.ms += nowMs() - one.sinceMs
      }
    },
    times() {
      const whole = (phase: Phase): number => Math.round(spent.get(phase)?.ms ?? 0)
      return {
        sandbox: whole('sandbox'),
        dependencies: whole('dependencies'),
        checkout: whole('checkout'),
        checks: whole('checks'),
        total: Math.round(nowMs() - startedMs),
      }
    },
  }
}
