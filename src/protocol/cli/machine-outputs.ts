/** What the commands print about loop files, agents, settings and this machine. */

import { z } from 'zod'
import { preflightSchema } from '../event-parts.ts'
import { count, milliseconds } from '../values.ts'
import { agentsSeen, type CommandOutput, lines, one, text, texts } from './command-output.ts'

const sandboxFound = z.strictObject({
  tier: z.enum(['strong', 'basic', 'none']),
  reason: text,
  fix: text.exactOptional(),
  limits: z.enum(['cgroup', 'rlimit', 'none']),
  probes: z.array(
    z.strictObject({
      name: text,
      expect: z.enum(['works', 'blocked']),
      found: z.enum(['works', 'blocked', 'not-tried']),
    }),
  ),
  durationMs: milliseconds,
})

const daemonSeen = z.strictObject({ pid: count, agents: agentsSeen, differs: agentsSeen })

const examination = z.strictObject({
  sandbox: sandboxFound,
  dependencies: z.strictObject({
    mode: z.enum(['overlay', 'scratch', 'copy']),
    reason: text,
    fix: text.exactOptional(),
  }),
  observes: z.strictObject({
    reads: z.enum(['inotify', 'none']),
    writes: z.enum(['overlay', 'none']),
    reason: text,
    fix: text.exactOptional(),
  }),
  programs: z.strictObject({
    shown: texts,
    leftOut: z.array(z.strictObject({ path: text, why: text })),
  }),
  daemon: daemonSeen.exactOptional(),
  keys: z.strictObject({
    file: text,
    fileState: z.enum(['absent', 'usable', 'refused']),
    problem: text.exactOptional(),
    providers: z.array(
      z.strictObject({
        provider: text,
        key: z.enum(['environment', 'file', 'none']),
        variable: text,
        baseUrl: text.exactOptional(),
        problem: text.exactOptional(),
      }),
    ),
  }),
  record: z.looseObject({ folder: text, exists: z.boolean(), problems: texts }),
})

const agentFound = z.strictObject({
  name: text,
  kind: z.enum(['program', 'built-in', 'models']),
  state: z.enum(['ready', 'no-key', 'missing']),
  path: text.exactOptional(),
  from: text.exactOptional(),
  version: text.exactOptional(),
  tested: text.exactOptional(),
  protocols: z.array(
    z.strictObject({ name: z.enum(['headless', 'acp', 'api']), next: text.exactOptional() }),
  ),
  walls: z.enum(['sandbox', 'no walls', 'our process']),
  can: texts,
  key: z.strictObject({ provider: text, variable: text, found: z.boolean() }).exactOptional(),
  next: text.exactOptional(),
})

const problems = z.array(
  z.looseObject({
    text,
    line: count.exactOptional(),
    column: count.exactOptional(),
    message: text.exactOptional(),
  }),
)

/** A share of those that were counted, and between which bounds it lies. */
const share = z.looseObject({ n: count })
const rates = { falseAccepts: share, falseRejects: share }

const calibration = z.looseObject({
  loop: text,
  tree: text,
  commit: text.exactOptional(),
  seed: z.number(),
  atMs: z.number(),
  durationMs: milliseconds,
  checks: z.array(z.looseObject({ ...rates, check: text, kind: text, digest: text })),
  together: z.looseObject(rates),
  survivors: z.array(
    z.strictObject({
      source: z.enum(['planted', 'reverted-fix']),
      file: text,
      line: count,
      description: text,
    }),
  ),
  turnedAway: z.array(z.strictObject({ what: text, checks: texts })),
  planted: count,
  revertedFixes: count,
  good: count,
  stopped: z.enum(['time', 'cost', 'defects']).exactOptional(),
  costMicros: count,
})

const agentCandidate = z.strictObject({
  name: text,
  kind: z.enum(['program', 'built-in', 'model']),
  state: z.enum(['ready', 'no-key', 'missing']),
  keyVariable: text.exactOptional(),
})

const foundHere = {
  folder: text,
  repository: text.exactOptional(),
  stacks: z.array(z.strictObject({ name: text, folder: text, manifest: text })),
  agents: z.array(agentCandidate),
}

export const machineOutputs: Readonly<Record<string, CommandOutput>> = {
  '': one(
    'What is here: the folder, loop files, agents, the sandbox, and runs that have not ended.',
    z.strictObject({
      ...foundHere,
      version: text,
      loops: texts,
      sandbox: z.strictObject({ tier: text, reason: text }),
      runs: z.strictObject({ open: count, waiting: texts }),
    }),
  ),
  init: one(
    'What was found, and the loop file that was written.',
    z.strictObject({
      ...foundHere,
      file: text,
      digest: text,
      agent: z.unknown(),
      checks: z.record(text, text),
      goal: text,
      limits: z.looseObject({}),
      notes: texts,
      next: text,
      preflight: z.looseObject({ loop: text, ready: z.boolean() }).exactOptional(),
      untried: text.exactOptional(),
    }),
  ),
  validate: lines(
    'Each loop file, and what is wrong with it.',
    z.strictObject({
      file: text,
      ok: z.boolean(),
      problems,
      warnings: texts,
      variables: texts.exactOptional(),
      scope: z
        .strictObject({ from: z.enum(['loop-file', 'manifest']), lines: texts })
        .exactOptional(),
    }),
  ),
  preflight: one(
    'Whether a loop can run here, and what was looked at and tried.',
    z.strictObject({
      loop: text,
      looked: z.array(
        z.strictObject({
          what: z.enum(['loop file', 'agent', 'sandbox', 'disk', 'lockfile', 'checks']),
          status: z.enum(['ok', 'warning', 'problem']),
          detail: text,
        }),
      ),
      tried: preflightSchema.exactOptional(),
      ready: z.boolean(),
    }),
  ),
  forget: one('How much was forgotten.', z.strictObject({ answers: count, attempts: count })),
  trust: lines(
    'What is trusted now, or is not any more; without a file each that is.',
    z.union([
      z.strictObject({
        file: text,
        digest: text,
        trusted: z.boolean(),
        powers: texts.exactOptional(),
      }),
      z.strictObject({ file: text, digest: text, atMs: z.number() }),
    ]),
  ),
  tools: lines(
    'Each tool that an agent can call.',
    z.looseObject({
      name: text,
      description: text,
      parameters: z.record(text, z.unknown()),
      risk: text,
    }),
  ),
  calibrate: one('How often the checks of a loop err.', calibration),
  agents: one(
    'Which agents there are, and what the others need.',
    z.strictObject({
      sandbox: z.looseObject({ tier: text, reason: text }),
      agents: z.array(agentFound),
      daemon: daemonSeen.exactOptional(),
    }),
  ),
  'agents add': one(
    'What was fetched, and where it is.',
    z.strictObject({ added: text, packages: texts, folder: text }),
  ),
  'agents remove': one(
    'Whether it was there.',
    z.strictObject({ agent: text, removed: z.boolean() }),
  ),
  'agents test': one(
    'What came of the test.',
    z.strictObject({
      agent: text,
      ok: z.boolean(),
      findings: z.array(z.strictObject({ name: text, ok: z.boolean().exactOptional(), text })),
      run: text.exactOptional(),
      workspace: text.exactOptional(),
      next: text,
    }),
  ),
  doctor: one('What this machine has.', examination),
  'config show': one(
    'Every setting; with --origin where each comes from.',
    z.strictObject({
      settings: z.array(
        z.strictObject({
          name: text,
          value: z.unknown().exactOptional(),
          text: text.exactOptional(),
          origin: z.looseObject({ type: text }).exactOptional(),
          from: text.exactOptional(),
        }),
      ),
      files: z.array(z.looseObject({ path: text, of: text })),
      notes: texts,
    }),
  ),
  'config path': one(
    'Which files of configuration there are.',
    z.strictObject({
      files: z.array(z.looseObject({ path: text, of: text })),
      user: text,
      notes: texts,
    }),
  ),
  'config check': lines(
    'Each file of configuration, and what is wrong with it.',
    z.looseObject({ file: text, ok: z.boolean(), problems, notes: texts }),
  ),
  'config schema': one(
    'The JSON Schema of loopwright.yaml.',
    z.looseObject({ $schema: text, $id: text }),
  ),
}
