/**
 * When a provider may be asked again, for everybody who asks it: whoever is told "not now" closes the
 * window for all sessions of this gateway.
 *
 * E9. A window opens again, later each time, whatever the provider says: "at once, always" is no loop.
 *     One request goes through it first; the others follow when the provider has taken that one.
 */

export interface RateWindows {
  /** When the next request may be sent; a moment that has passed when now. */
  opensAtMs(key: string): number
  /** Whether this one may go through now. Who may has to say when it is over. */
  enter(key: string, who: object): boolean
  left(key: string, who: object): void
  /** A request that was sent at a moment was refused. Says when the next may be sent. */
  refused(key: string, sentAtMs: number, nowMs: number, waitMs: number | undefined): number
  /** The provider has taken one that was sent at a moment. */
  succeeded(key: string, sentAtMs: number): void
}

interface Window {
  readonly opensAtMs: number
  readonly closedAtMs: number
  /** In a row. */
  readonly refusals: number
  /** Who tries it first. */
  first: object | undefined
}

const windowsMax = 1000
const patienceMsMax = 60_000

export function createRateWindows(): RateWindows {
  const windows = new Map<string, Window>()
  return {
    opensAtMs: (key) => windows.get(key)?.opensAtMs ?? 0,
    enter(key, who) {
      const known = windows.get(key)
      if (known === undefined) return true
      known.first ??= who
      return known.first === who
    },
    left(key, who) {
      const known = windows.get(key)
      if (known?.first === who) known.first = undefined
    },
    refused(key, sentAtMs, nowMs, waitMs) {
      const known = windows.get(key)
      // Requests that were under way together are refused together: that is one refusal.
      const isSame = known !== undefined && sentAtMs < known.closedAtMs
      const refusals = (known?.refusals ?? 0) + (isSame ? 0 : 1)
      const patienceMs = Math.min(patienceMsMax, 1000 * 2 ** Math.min(refusals - 1, 6))
      const wantedMs = nowMs + Math.max(waitMs ?? 2 * patienceMs, patienceMs / 4)
      const opensAtMs = Math.max(known?.opensAtMs ?? 0, wantedMs)
      windows.delete(key)
      // Names of models come from agents; the oldest window makes room.
      const [oldest] = windows.size >= windowsMax ? windows.keys() : []
      if (oldest !== undefined) windows.delete(oldest)
      windows.set(key, {
        opensAtMs,
        closedAtMs: isSame ? known.closedAtMs : nowMs,
        refusals,
        first: isSame ? known.first : undefined,
      })
      return opensAtMs
    },
    succeeded(key, sentAtMs) {
      const known = windows.get(key)
      if (known !== undefined && sentAtMs >= known.closedAtMs) windows.delete(key)
    },
  }
}
