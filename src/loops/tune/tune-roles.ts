/** The agent of a tuning loop. It sees nothing but its prompt, so that no sealed case is within its reach. */

import type { AgentRoles, LoopFile, Manifest } from '../../protocol/index.ts'

export const composerRole = 'composer'

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
}

export type AgentsByRole = LoopFile['agents']

/** Throws if nothing would propose changes. */
export function requireRoles({ knobs }: Manifest, roles: AgentsByRole): void {
  if (roles[composerRole] !== undefined || Object.keys(knobs).length > 0) return
  throw new Error(
    `Nothing can propose changes: the manifest has no knobs, and the loop file no agent for the role ${composerRole}.`,
  )
}
