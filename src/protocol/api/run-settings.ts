/** The settings of one run, as its caller has them: the configuration without the daemon's part. */

import { z } from 'zod'
import type { Config, Settings } from '../config/config.ts'
import { exactly } from '../exactly.ts'
import { count, milliseconds, published } from '../values.ts'

export type RunSettings = Omit<Config, 'daemon'>

const text = z.string().min(1).max(1000)
const line = text.exactOptional()
const flag = z.boolean().exactOptional()
const texts = z.array(text).max(20).readonly().exactOptional()
const policyFiles = z.array(text).max(100).readonly().exactOptional()

const limits = z.strictObject({
  iterations: count.exactOptional(),
  tokens: count.exactOptional(),
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  costMicros: count.exactOptional(),
  timeMs: milliseconds.exactOptional(),
  iterationTimeMs: milliseconds.exactOptional(),
  iterationTokens: count.exactOptional(),
  iterationCostMicros: count.exactOptional(),
  agentTimeMs: milliseconds.exactOptional(),
})

const worktreeFields = {
  base: z.string().max(256).exactOptional(),
  path: line,
  branchPrefix: z.string().max(100).exactOptional(),
  provider: z.enum(['auto', 'git', 'worktrunk']).exactOptional(),
  worktrunkProgram: line,
  worktrunkConfig: line,
  copyIgnored: flag,
}

/** What a request overrides in the loop file. */
export type WorktreeOverrides = Settings['worktree'] & {
  readonly use?: boolean
  readonly allowDirty?: boolean
}

export const worktreeOverridesSchema: z.ZodType<WorktreeOverrides> = exactly<WorktreeOverrides>()(
  z.strictObject({ use: flag, allowDirty: flag, ...worktreeFields }),
)

export const runSettingsSchema: z.ZodType<RunSettings> = exactly<RunSettings>()(
  z.strictObject({
    model: line,
    artifacts: z
      .strictObject({
        mode: z.enum(['workspace', 'global', 'mirror']).exactOptional(),
        logDir: line,
        globalDir: line,
        postmortem: flag,
        summary: flag,
      })
      .exactOptional(),
    naming: z
      .strictObject({
        source: z.enum(['auto', 'model', 'file', 'words']).exactOptional(),
        model: line,
      })
      .exactOptional(),
    limits: limits.exactOptional(),
    worktree: z.strictObject(worktreeFields).exactOptional(),
    checks: z
      .strictObject({
        commands: z.array(text).max(50).readonly().exactOptional(),
        timeoutMs: milliseconds.exactOptional(),
      })
      .exactOptional(),
    build: z
      .strictObject({
        specsDir: line,
        plansDir: line,
        review: flag,
        reviewModel: line,
        reviewFailures: count.exactOptional(),
        verificationFailures: count.exactOptional(),
        completionMode: z.enum(['trailing', 'exact']).exactOptional(),
        promptFile: line,
        contextFiles: texts,
        retries: count.exactOptional(),
        retryDelayMs: milliseconds.exactOptional(),
        mergeTarget: line,
        mergeStrategy: z.enum(['squash', 'merge', 'none']).exactOptional(),
        cleanUp: flag,
        measure: line,
      })
      .exactOptional(),
    skills: z
      .strictObject({
        enabled: flag,
        dirs: texts,
        builtInDir: line,
        syncDir: line,
        syncOnStart: flag,
        maxImplementation: count.exactOptional(),
        maxReview: count.exactOptional(),
        references: flag,
        maxChars: count.exactOptional(),
      })
      .exactOptional(),
    policy: z.strictObject({ enforce: policyFiles, monitor: policyFiles }).exactOptional(),
  }),
).register(published, { id: 'RunSettings' })
