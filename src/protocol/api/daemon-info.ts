/** What the daemon reports about itself. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { count, published } from '../values.ts'

/** A daemon: its version, process and settings. */
export interface DaemonInfo {
  readonly version: string
  readonly pid: number
  readonly startedAtMs: number
  readonly uptimeMs: number
  readonly isReady: boolean
  readonly settings: {
    /** The state folder. */
    readonly folder: string
    readonly hostname: string
    readonly port: number
    readonly tls: boolean
    readonly maxConcurrentRuns: number
    readonly maxRunsPerWorkspace: number
    readonly queuePolicy: 'fifo' | 'newest-first' | 'priority'
  }
  readonly counts: {
    /** All runs in the journal, by status. */
    readonly runs: Readonly<Record<string, number>>
    readonly driven: number
    readonly queued: number
  }
  /** Agents as the daemon finds them, for runs whose caller has exited. Absent: an older daemon. */
  readonly agents?: readonly AgentStatus[]
}

export interface AgentStatus {
  readonly name: string
  readonly state: 'ready' | 'no-key' | 'missing'
  /** The environment variable that its key is read from. */
  readonly keyVariable?: string
}

export const agentStatusSchema: z.ZodType<AgentStatus> = exactly<AgentStatus>()(
  z.strictObject({
    name: z.string(),
    state: z.enum(['ready', 'no-key', 'missing']),
    keyVariable: z.string().exactOptional(),
  }),
)

export const daemonInfoSchema: z.ZodType<DaemonInfo> = exactly<DaemonInfo>()(
  z.strictObject({
    version: z.string(),
    pid: z.int(),
    startedAtMs: z.number(),
    uptimeMs: z.number(),
    isReady: z.boolean(),
    settings: z.strictObject({
      folder: z.string(),
      hostname: z.string(),
      port: z.int(),
      tls: z.boolean(),
      maxConcurrentRuns: z.int(),
      maxRunsPerWorkspace: z.int(),
      queuePolicy: z.enum(['fifo', 'newest-first', 'priority']),
    }),
    counts: z.strictObject({
      runs: z.record(z.string(), count),
      driven: count,
      queued: count,
    }),
    agents: z.array(agentStatusSchema).readonly().exactOptional(),
  }),
).register(published, { id: 'DaemonInfo' })

export interface Health {
  readonly status: 'ok'
}

export const healthSchema: z.ZodType<Health> = z
  .strictObject({ status: z.literal('ok') })
  .register(published, { id: 'Health' })

/** Status 200 if ready, else 503. */
export interface Readiness {
  readonly status: 'ready' | 'not-ready'
}

export const readinessSchema: z.ZodType<Readiness> = z
  .strictObject({ status: z.enum(['ready', 'not-ready']) })
  .register(published, { id: 'Readiness' })
