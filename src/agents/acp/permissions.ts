/**
 * Answers an agent's permission requests. There is no person to ask, so a rule answers at once.
 *
 * The rule depends on the kind of tool that the agent declares, and an agent can declare anything
 * or not ask at all: the rule keeps an honest agent to its task. The sandbox is what protects
 * against any agent.
 */

import type { RequestPermissionOutcome, RequestPermissionRequest } from '@agentclientprotocol/sdk'

/** `reads`: read only; `edits`: also change files; `all`: also run programs, and anything else. */
export const permissionRules = ['all', 'edits', 'reads', 'none'] as const
/** What an ACP agent is allowed when it asks for a permission. */
export type Permissions = (typeof permissionRules)[number]

/** The weakest rule that allows a kind of tool. Other kinds need the strongest. */
const requiredRules: ReadonlyMap<string, Permissions> = new Map([
  ['read', 'reads'],
  ['search', 'reads'],
  ['think', 'reads'],
  ['edit', 'edits'],
  ['delete', 'edits'],
  ['move', 'edits'],
])

const strength: Readonly<Record<Permissions, number>> = { none: 0, reads: 1, edits: 2, all: 3 }

export function isAllowed(permissions: Permissions, kind: string | undefined): boolean {
  return strength[permissions] >= strength[requiredRules.get(kind ?? '') ?? 'all']
}

export interface PermissionAnswer {
  readonly outcome: RequestPermissionOutcome
  readonly isAllowed: boolean
}

/** Once rather than always: each call is decided separately. */
const preferredOptions = {
  allow: ['allow_once', 'allow_always'],
  reject: ['reject_once', 'reject_always'],
} as const

export function answerPermission(
  permissions: Permissions,
  kind: string | undefined,
  options: RequestPermissionRequest['options'],
): PermissionAnswer {
  const verdict = isAllowed(permissions, kind) ? 'allow' : 'reject'
  const option = preferredOptions[verdict]
    .map((one) => options.find((offered) => offered.kind === one))
    .find((found) => found !== undefined)
  // Without a matching option there is no way to answer.
  if (option === undefined) return { outcome: { outcome: 'cancelled' }, isAllowed: false }
  return {
    outcome: { outcome: 'selected', optionId: option.optionId },
    isAllowed: verdict === 'allow',
  }
}
