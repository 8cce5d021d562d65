/**
 * What an agent is answered when it asks before it does something. Nobody is there to be asked, so a rule
 * answers at once.
 *
 * The rule goes by what the agent calls its tool, and an agent can call a tool anything, or not ask at all:
 * it keeps an honest agent to its task. What keeps any agent from harm are the walls of the sandbox.
 */

import type { RequestPermissionOutcome, RequestPermissionRequest } from '@agentclientprotocol/sdk'

/** `reads`: look around; `edits`: change files, too; `all`: also run programs, and anything else. */
export const permissionRules = ['all', 'edits', 'reads', 'none'] as const
/** What an ACP agent is allowed when it asks for a permission. */
export type Permissions = (typeof permissionRules)[number]

/** The weakest rule that allows a kind of tool. Kinds that are not here need the strongest. */
const needs: ReadonlyMap<string, Permissions> = new Map([
  ['read', 'reads'],
  ['search', 'reads'],
  ['think', 'reads'],
  ['edit', 'edits'],
  ['delete', 'edits'],
  ['move', 'edits'],
])

const strength: Readonly<Record<Permissions, number>> = { none: 0, reads: 1, edits: 2, all: 3 }

export function isAllowed(permissions: Permissions, kind: string | undefined): boolean {
  return strength[permissions] >= strength[needs.get(kind ?? '') ?? 'all']
}

export interface PermissionAnswer {
  readonly outcome: RequestPermissionOutcome
  readonly isAllowed: boolean
}

/** Once rather than always: each call is answered for itself. */
const wanted = {
  allow: ['allow_once', 'allow_always'],
  reject: ['reject_once', 'reject_always'],
} as const

export function answerPermission(
  permissions: Permissions,
  kind: string | undefined,
  options: RequestPermissionRequest['options'],
): PermissionAnswer {
  const verdict = isAllowed(permissions, kind) ? 'allow' : 'reject'
  const option = wanted[verdict]
    .map((one) => options.find((offered) => offered.kind === one))
    .find((found) => found !== undefined)
  // Without a way to say so, nothing was said.
  if (option === undefined) return { outcome: { outcome: 'cancelled' }, isAllowed: false }
  return {
    outcome: { outcome: 'selected', optionId: option.optionId },
    isAllowed: verdict === 'allow',
  }
}
