/** What runs depend on, as the daemon finds it, and the link that opens its dashboard. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { count, published } from '../values.ts'
import { type AgentStatus, agentStatusSchema } from './daemon-info.ts'

export interface Machine {
  readonly sandbox: {
    readonly tier: 'strong' | 'basic' | 'none'
    /** Why the tier is not better, in a sentence. */
    readonly reason: string
    /** How to get a better tier. */
    readonly fix?: string
    readonly limits: 'cgroup' | 'rlimit' | 'none'
    /** When it was tested. */
    readonly atMs: number
  }
  readonly agents: readonly AgentStatus[]
  /** Of the disk with the state folder. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number }
  readonly store: { readonly folder: string; readonly bytes: number; readonly position: number }
}

export const machineSchema: z.ZodType<Machine> = exactly<Machine>()(
  z.strictObject({
    sandbox: z.strictObject({
      tier: z.enum(['strong', 'basic', 'none']),
      reason: z.string(),
      fix: z.string().exactOptional(),
      limits: z.enum(['cgroup', 'rlimit', 'none']),
      atMs: z.number(),
    }),
    agents: z.array(agentStatusSchema).readonly(),
    disk: z.strictObject({ freeBytes: z.number(), totalBytes: z.number() }),
    store: z.strictObject({ folder: z.string(), bytes: z.number(), position: count }),
  }),
).register(published, { id: 'Machine' })

export interface DashboardLink {
  /** With the code in the fragment. It works once. */
  readonly url: string
  readonly expiresAtMs: number
}

export const dashboardLinkSchema: z.ZodType<DashboardLink> = exactly<DashboardLink>()(
  z.strictObject({ url: z.string(), expiresAtMs: z.number() }),
).register(published, { id: 'DashboardLink' })
