/**
 * The token of this tab. It is in the memory of the tab only (`sessionStorage`): no other tab, page or port gets it. The
 * code in the address is used up and removed before anything else happens.
 */

import { exchangeCode, isLoopError, type TabSession } from '../../client/browser.ts'

export type SessionState =
  | { readonly type: 'connected'; readonly session: TabSession }
  /** `used`: there was a code, and it did not work. */
  | { readonly type: 'closed'; readonly why: 'none' | 'used' | 'ended' | 'unreachable' }

const key = 'loopwright-session'

export async function openSession(): Promise<SessionState> {
  const code = takeCode()
  if (code === undefined) return readKept()
  try {
    const session = await exchangeCode(location.origin, code)
    sessionStorage.setItem(key, JSON.stringify(session))
    return { type: 'connected', session }
  } catch (error) {
    const kept = readKept()
    if (kept.type === 'connected') return kept
    return { type: 'closed', why: isLoopError(error, 'no-token') ? 'used' : 'unreachable' }
  }
}

export const forgetSession = (): void => sessionStorage.removeItem(key)

/** Removes it from the address and from the history. */
function takeCode(): string | undefined {
  const code = /^#code=([\w-]{20,200})$/.exec(location.hash)?.[1]
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search)
  return code
}

function readKept(): SessionState {
  try {
    const session = JSON.parse(sessionStorage.getItem(key) ?? '') as TabSession
    if (typeof session.token === 'string') return { type: 'connected', session }
  } catch {
    // Nothing is kept.
  }
  return { type: 'closed', why: 'none' }
}
