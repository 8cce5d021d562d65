/** What the commands for the daemon print. */

import { z } from 'zod'
import { count } from '../values.ts'
import { agentStatuses, type CommandOutput, lines, one, text } from './command-output.ts'

const scope = z.enum(['read', 'write'])

/** The response of `GET /daemon`, and its address. */
const info = {
  address: text,
  version: text,
  pid: z.int(),
  startedAtMs: z.number(),
  uptimeMs: z.number(),
  isReady: z.boolean(),
  settings: z.looseObject({ folder: text, hostname: text, port: z.int() }),
  counts: z.strictObject({ runs: z.record(text, count), driven: count, queued: count }),
  agents: agentStatuses.exactOptional(),
}

const status = one(
  'Whether the daemon is running, its address, and its workload.',
  z.union([
    z.strictObject({ running: z.literal(true), ...info }),
    z.strictObject({ running: z.literal(false), folder: text }),
  ]),
)

export const daemonOutputs: Readonly<Record<string, CommandOutput>> = {
  dashboard: one(
    'The link to the dashboard, which works once.',
    z.strictObject({ url: text, expiresAtMs: z.number() }),
  ),
  daemon: status,
  'daemon status': status,
  'daemon start': one(
    'The daemon, and whether this command started it.',
    z.strictObject({ started: z.boolean(), ...info }),
  ),
  'daemon restart': one(
    'The daemon, and whether this command started it.',
    z.strictObject({ started: z.boolean(), ...info }),
  ),
  'daemon stop': one(
    'Whether a daemon was running, and how many runs it interrupted.',
    z.strictObject({
      stopped: z.boolean(),
      running: z.literal(false),
      pid: z.int().exactOptional(),
      runs: count.exactOptional(),
    }),
  ),
  'daemon logs': lines(
    'Each line of the log.',
    z.looseObject({ level: z.number(), time: z.number(), msg: text }),
  ),
  'daemon token': one(
    'The token that clients of the daemon need.',
    z.strictObject({ token: text, scope }),
  ),
  'daemon token add': one(
    'The new personal token; it is not shown again.',
    z.strictObject({ name: text, scope, token: text }),
  ),
  'daemon token list': lines(
    'Each personal token.',
    z.strictObject({ name: text, scope, addedAtMs: z.number() }),
  ),
  'daemon token remove': one(
    'The token that was revoked.',
    z.strictObject({ name: text, removed: z.literal(true) }),
  ),
  'daemon install': one('The systemd unit.', z.strictObject({ unit: text })),
}
