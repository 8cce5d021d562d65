/**
 * Tracks when a provider may be called again, over all sessions of this gateway: a rate limit that
 * one request meets closes the window for all.
 *
 * E9. The window reopens later after each refusal, whatever the provider says, so "retry at
 *     once" cannot cause an endless loop. One request goes first; the others follow when the
 *     provider has accepted it.
 */

export interface RateWindows {
  /** When the next request may be sent; a time in the past means now. */
  opensAtMs(key: string): number
  /** Whether this request may go now. If so, call `left` when it is over. */
  enter(key: string, request: object): boolean
  left(key: string, request: object): void
  /** A request sent at that time was refused. Returns when the next one may be sent. */
  refused(key: string, sentAtMs: number, nowMs: number, waitMs: number | undefined): number
  /** The provider accepted a request sent at that time. */
  succeeded(key: string, sentAtMs: number): void
}

interface Window {
  readonly opensAtMs: number
  readonly closedAtMs: number
  /** Consecutive. */
  readonly refusals: number
  /** The request that tests the window first. */
  first: object | undefined
}

const windowsMax = 1000
const backoffMsMax = 60_000

export function createRateWindows(): RateWindows {
  const windows = new Map<string, Window>()
  return {
    opensAtMs: (key) => windows.get(key)?.opensAtMs ?? 0,
    enter(key, request) {
      const known = windows.get(key)
      if (known === undefined) return true
      known.first ??= request
      return known.first === request
    },
    left(key, request) {
      const known = windows.get(key)
      if (known?.first === request) known.first = undefined
    },
    refused(key, sentAtMs, nowMs, waitMs) {
      const known = windows.get(key)
      // Requests that were in flight together are refused together, which counts as one refusal.
      const isSameRefusal = known !== undefined && sentAtMs < known.closedAtMs
      const refusals = (known?.refusals ?? 0) + (isSameRefusal ? 0 : 1)
      const backoffMs = Math.min(backoffMsMax, 1000 * 2 ** Math.min(refusals - 1, 6))
      const earliestMs = nowMs + Math.max(waitMs ?? 2 * backoffMs, backoffMs / 4)
      const opensAtMs = Math.max(known?.opensAtMs ?? 0, earliestMs)
      windows.delete(key)
      // Model names come from agents, so the number of windows is limited; the oldest is dropped.
      const [oldest] = windows.size >= windowsMax ? windows.keys() : []
      if (oldest !== undefined) windows.delete(oldest)
      windows.set(key, {
        opensAtMs,
        closedAtMs: isSameRefusal ? known.closedAtMs : nowMs,
        refusals,
        first: isSameRefusal ? known.first : undefined,
      })
      return opensAtMs
    },
    succeeded(key, sentAtMs) {
      const known = windows.get(key)
      if (known !== undefined && sentAtMs >= known.closedAtMs) windows.delete(key)
    },
  }
}
