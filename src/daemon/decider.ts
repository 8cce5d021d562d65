/**
 * Who decides: the identity of the token, or the user that the daemon belongs to. A name in the request is only what it
 * claims.
 */

import type { Decider } from '../loop/index.ts'
import { localUser } from '../system/local-user.ts'
import type { Principal } from './principal.ts'

export function toDecider(
  principal: Pick<Principal, 'name'> | undefined,
  claimed: string | undefined,
): Exclude<Decider, string> {
  const name = principal?.name ?? localUser()
  return claimed === undefined || claimed === name ? { name } : { name, claimed }
}
