/** What the commands for loop files, agents, settings and this machine print. */

import { z } from 'zod'
import { preflightSchema } from '../events/event-parts.ts'
import { count, milliseconds } from '../values.ts'
import { agentStatuses, type CommandOutput, lines, one, text, texts } from './command-output.ts'

const sandboxReport = z.strictObject({
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

const daemonStatus = z.strictObject({ pid: count, agents: agentStatuses, differs: agentStatuses })

const examination = z.strictObject({
  sandbox: sandboxReport,
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
  daemon: daemonStatus.exactOptional(),
  schedules: z
    .strictObject({
      count: z.int(),
      driven: z.boolean(),
      paused: z.boolean(),
      alerts: z.array(z.strictObject({ name: text, health: text, alert: text })),
    })
    .exactOptional(),
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

const agentReport = z.strictObject({
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
  isolation: z.enum(['sandbox', 'none', 'own-process']).exactOptional(),
  /** The name and the values of `isolation` in earlier versions. */
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

/** A share of the sample, with its confidence interval. */
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

const surroundings = {
  folder: text,
  repository: text.exactOptional(),
  stacks: z.array(z.strictObject({ name: text, folder: text, manifest: text })),
  agents: z.array(agentCandidate),
}

export const machineOutputs: Readonly<Record<string, CommandOutput>> = {
  '': one(
    'What is here: the folder, loop files, agents, the sandbox, and unfinished runs.',
    z.strictObject({
      ...surroundings,
      version: text,
      loops: texts,
      sandbox: z.strictObject({ tier: text, reason: text }),
      runs: z.strictObject({ open: count, waiting: texts }),
    }),
  ),
  init: one(
    'What was detected, and the loop file that was written.',
    z.strictObject({
      ...surroundings,
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
    'Each loop file, and its problems.',
    z.strictObject({
      file: text,
      ok: z.boolean(),
      problems,
      warnings: texts,
      variables: texts.exactOptional(),
      scope: z
        .strictObject({ from: z.enum(['loop-file', 'manifest']), lines: texts })
        .exactOptional(),
      /** How ready it is to run without a person. */
      readiness: z.strictObject({ score: count, missing: texts }).exactOptional(),
    }),
  ),
  preflight: one(
    'Whether a loop can run here, and what was verified.',
    z.strictObject({
      loop: text,
      looked: z.array(
        z.strictObject({
          what: z.enum([
            'loop file',
            'readiness',
            'agent',
            'sandbox',
            'disk',
            'lockfile',
            'sources',
            'checks',
          ]),
          status: z.enum(['ok', 'warning', 'problem']),
          detail: text,
        }),
      ),
      tried: preflightSchema.exactOptional(),
      ready: z.boolean(),
    }),
  ),
  forget: one('How much was deleted.', z.strictObject({ answers: count, attempts: count })),
  trust: lines(
    'The file that is now trusted or untrusted; without a file, each trusted one.',
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
    'Each tool that agents can call.',
    z.looseObject({
      name: text,
      description: text,
      parameters: z.record(text, z.unknown()),
      risk: text,
    }),
  ),
  calibrate: one('The error rates of the checks of a loop.', calibration),
  agents: one(
    'Which agents are available, and what the others need.',
    z.strictObject({
      sandbox: z.looseObject({ tier: text, reason: text }),
      agents: z.array(agentReport),
      daemon: daemonStatus.exactOptional(),
    }),
  ),
  'agents add': one(
    'What was installed, and where.',
    z.strictObject({ added: text, packages: texts, folder: text }),
  ),
  'agents remove': one(
    'Whether it was installed.',
    z.strictObject({ agent: text, removed: z.boolean() }),
  ),
  'agents test': one(
    'The result of the test.',
    z.strictObject({
      agent: text,
      ok: z.boolean(),
      findings: z.array(z.strictObject({ name: text, ok: z.boolean().exactOptional(), text })),
      run: text.exactOptional(),
      workspace: text.exactOptional(),
      next: text,
    }),
  ),
  doctor: one('What this machine supports.', examination),
  'config show': one(
    'Every setting; with --origin, where it comes from.',
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
    'The configuration files in effect.',
    z.strictObject({
      files: z.array(z.looseObject({ path: text, of: text })),
      user: text,
      notes: texts,
    }),
  ),
  'config check': lines(
    'Each configuration file, and its problems.',
    z.looseObject({ file: text, ok: z.boolean(), problems, notes: texts }),
  ),
  'config schema': one(
    'The JSON Schema of loopwright.yaml.',
    z.looseObject({ $schema: text, $id: text }),
  ),
}
