/** The agents of a tuning loop. Both see nothing but their prompt, so that no sealed case is within their reach. */

import type { AgentRoles, LoopFile, Manifest } from '../../protocol/index.ts'

export const composerRole = 'composer'
export const reviewerRole = 'reviewer'

export const tuneRoles: AgentRoles = {
  [composerRole]: {
    description: 'finds the root cause of failures and proposes three changes',
    access: 'read',
    sees: 'prompt',
    absent: 'allowed',
    label: 'composer',
    reports: true,
    phase: 'implementation',
  },
  [reviewerRole]: {
    description: 'judges the outputs of cases, besides the commands of the manifest',
    access: 'read',
    sees: 'prompt',
    absent: 'allowed',
    label: 'reviewer',
    phase: 'review',
  },
}

export type AgentsByRole = LoopFile['agents']

/** Throws if nothing would propose changes, or nothing would judge them. */
export function requireRoles({ knobs, agents }: Manifest, roles: AgentsByRole): void {
  if (agents.reviewer !== undefined && roles[reviewerRole] === undefined) {
    throw new Error(
      `agents.reviewer: the loop file has no agent for the role ${reviewerRole}. Add one, or remove the key.`,
    )
  }
  if (roles[composerRole] !== undefined || Object.keys(knobs).length > 0) return
  throw new Error(
    `Nothing can propose changes: the manifest has no knobs, and the loop file no agent for the role ${composerRole}.`,
  )
}
