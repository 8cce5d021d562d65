/** What a loop file contains and would do, before it is run. */

import { z } from 'zod'
import {
  type ExistingFailure,
  existingFailures,
  type Json,
  type Limits,
  type PolicyInEffect,
} from '../../loop/index.ts'
import { policyInEffectSchema } from '../events/policy-parts.ts'
import { exactly } from '../exactly.ts'
import type { CertifySettings, SealSettings } from '../loop-file/loop-file.ts'
import { dependenciesSchema, limitsSchema } from '../run-values.ts'
import { json, pathText, published } from '../values.ts'

const text = z.string()
const texts = z.array(text).readonly()

export interface PreviewRequest {
  /** The loop file, as an absolute path on the daemon's machine. */
  readonly file: string
}

export const previewRequestSchema: z.ZodType<PreviewRequest> = exactly<PreviewRequest>()(
  z.strictObject({ file: pathText }),
).register(published, { id: 'PreviewRequest' })

/** Same shape as the host's `LoopPreview`. */
export interface Preview {
  readonly file: string
  /** The digest of the file and of every file it names; send it as `trust`. */
  readonly digest: string
  readonly trusted: boolean
  /** What it may do, for the person who is asked to trust it. */
  readonly powers: readonly string[]
  /** The names of the variables that it uses; send them as `environment` of a run. */
  readonly variables: readonly string[]
}

export const previewSchema: z.ZodType<Preview> = exactly<Preview>()(
  z.strictObject({
    file: text,
    digest: text,
    trusted: z.boolean(),
    powers: texts,
    variables: texts,
  }),
).register(published, { id: 'Preview' })

/** A dry run: what a run would do. Nothing is created, started or spent. */
export interface Plan {
  readonly loop: string
  /** Of a spec: why this loop was chosen. */
  readonly rule?: string
  readonly workspace: string
  readonly worktree: {
    readonly isUsed: boolean
    readonly base?: { readonly name: string; readonly commit: string }
    readonly why?: string
    readonly branch?: string
    readonly carry?: readonly { readonly path: string; readonly by: 'copy' | 'link' | 'nothing' }[]
    /** Why a run would be refused. */
    readonly problem?: string
  }
  readonly limits: Limits
  readonly input: Json
  readonly variables: readonly string[]
  readonly powers: readonly string[]
  readonly warnings: readonly string[]
  /** Absent: only known at run time. */
  readonly prompt?: string
  readonly checks: readonly {
    readonly name: string
    readonly type: string
    readonly text: string
    /** Why a run would be refused. */
    readonly problem?: string
    readonly timeoutMs: number
    readonly existing: ExistingFailure
  }[]
  /** What the agent may change without asking, and how that was derived, one line each. */
  readonly scope: { readonly from: 'loop-file' | 'manifest'; readonly lines: readonly string[] }
  readonly seals: SealSettings
  readonly certify: Pick<CertifySettings, 'dependencies' | 'require' | 'quick' | 'deadlineMs'> & {
    readonly consult: readonly string[]
  }
  /** The policy that decides about actions. */
  /** The rules that would apply. */
  readonly policy: 'none' | PolicyInEffect
  /** The available sandbox tier, and the required one. */
  readonly sandbox?: {
    readonly tier: 'strong' | 'basic' | 'none'
    readonly needed: 'strong' | 'basic' | 'none'
    /** Why a run would be refused, or what is missing. */
    readonly problem?: string
  }
  /** What it may cost. */
  readonly estimate?: CostEstimate
  /** What it would wait for. Absent: the queue was not consulted. */
  readonly queue?: {
    readonly waitsFor: 'nothing' | 'slot' | 'workspace'
    readonly why?: string
  }
}

/** An estimate, except `most`, which the engine enforces. */
export interface CostEstimate {
  /** How it is billed: by tokens, not at all, by subscription, or unknown. */
  readonly billing: 'tokens' | 'nothing' | 'subscription' | 'unknown'
  readonly model?: string
  /** The tokens of the first prompt, rounded up. */
  readonly promptTokens?: number
  /** The model whose price is used; `isEstimated`: a related model's price. */
  readonly price?: { readonly model: string; readonly isEstimated: boolean }
  /** One call with the first prompt and an empty response: the least that an iteration costs. */
  readonly iterationCostMicrosMin?: number
  /** One call with the first prompt and the longest response. */
  readonly callCostMicrosMax?: number
  /** The most that the limits allow for all iterations together. */
  readonly most: {
    readonly iterations: number
    readonly tokens: number
    readonly costMicros: number
  }
  /** Averages over past runs of this loop. */
  readonly past?: {
    readonly runs: number
    readonly iterations: number
    readonly tokensPerIteration: number
    /** Absent: unknown for some of them. */
    readonly outputTokensPerIteration?: number
    readonly costMicrosPerIteration: number
  }
  /** What cannot be known in advance, as text. */
  readonly unknown: readonly string[]
}

const estimateSchema: z.ZodType<CostEstimate> = exactly<CostEstimate>()(
  z.strictObject({
    billing: z.enum(['tokens', 'nothing', 'subscription', 'unknown']),
    model: text.exactOptional(),
    promptTokens: z.number().exactOptional(),
    price: z.strictObject({ model: text, isEstimated: z.boolean() }).exactOptional(),
    iterationCostMicrosMin: z.number().exactOptional(),
    callCostMicrosMax: z.number().exactOptional(),
    most: z.strictObject({ iterations: z.number(), tokens: z.number(), costMicros: z.number() }),
    past: z
      .strictObject({
        runs: z.number(),
        iterations: z.number(),
        tokensPerIteration: z.number(),
        outputTokensPerIteration: z.number().exactOptional(),
        costMicrosPerIteration: z.number(),
      })
      .exactOptional(),
    unknown: texts,
  }),
).register(published, { id: 'CostEstimate' })

export const planSchema: z.ZodType<Plan> = exactly<Plan>()(
  z.strictObject({
    loop: text,
    rule: text.exactOptional(),
    workspace: text,
    worktree: z.strictObject({
      isUsed: z.boolean(),
      base: z.strictObject({ name: text, commit: text }).exactOptional(),
      why: text.exactOptional(),
      branch: text.exactOptional(),
      carry: z
        .array(z.strictObject({ path: text, by: z.enum(['copy', 'link', 'nothing']) }))
        .readonly()
        .exactOptional(),
      problem: text.exactOptional(),
    }),
    limits: limitsSchema,
    input: json,
    variables: texts,
    powers: texts,
    warnings: texts,
    prompt: text.exactOptional(),
    checks: z
      .array(
        z.strictObject({
          name: text,
          type: text,
          text,
          problem: text.exactOptional(),
          timeoutMs: z.number(),
          existing: z.enum(existingFailures),
        }),
      )
      .readonly(),
    scope: z.strictObject({ from: z.enum(['loop-file', 'manifest']), lines: texts }),
    seals: z.strictObject({
      paths: texts,
      except: texts,
      keys: z.record(text, texts),
      changes: z.enum(['ask', 'refuse']),
    }),
    certify: z.strictObject({
      dependencies: dependenciesSchema,
      require: z.enum(['checks-pass', 'work-alone', 'red-to-green']),
      quick: z.boolean(),
      deadlineMs: z.number(),
      consult: texts,
    }),
    policy: z.union([z.literal('none'), policyInEffectSchema]),
    sandbox: z
      .strictObject({
        tier: z.enum(['strong', 'basic', 'none']),
        needed: z.enum(['strong', 'basic', 'none']),
        problem: text.exactOptional(),
      })
      .exactOptional(),
    estimate: estimateSchema.exactOptional(),
    queue: z
      .strictObject({
        waitsFor: z.enum(['nothing', 'slot', 'workspace']),
        why: text.exactOptional(),
      })
      .exactOptional(),
  }),
).register(published, { id: 'Plan' })
