/** Options that several commands share: values for the template, limits, trust. */

import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { defined, LoopError, parseDuration } from '../loop/index.ts'
import type { NewRunRequest, WorktreeOverrides } from '../protocol/api/index.ts'
import type { MergeStrategy, NameSource } from '../protocol/config/config.ts'
import type { CertifySettings } from '../protocol/index.ts'

export interface LoadOptions {
  readonly input?: Readonly<Record<string, string>>
  readonly trust?: boolean
}

export function addLoadOptions(command: Command): Command {
  return addTrustOption(command).option(
    '--input <key=value>',
    'a value for the prompt template; repeatable',
    keyValue,
  )
}

export const addTrustOption = (command: Command): Command =>
  command.option('--trust', 'trust the loop file as it is now, without asking')

export interface AttendedOption {
  readonly attended?: boolean
}

export const addAttendedOption = (command: Command): Command =>
  command.option('--attended', 'someone is watching; allow a weaker sandbox')

export interface WorktreeOptions {
  readonly inPlace?: boolean
  readonly worktree?: boolean
  readonly base?: string
  readonly baseBranch?: string
  readonly allowDirty?: boolean
  readonly runBranchPrefix?: string
  readonly worktreePathTemplate?: string
  readonly worktreeProvider?: 'auto' | 'git' | 'worktrunk'
  readonly worktrunkBin?: string
  readonly worktrunkConfig?: string
  readonly worktrunkCopyIgnored?: boolean
}

export const addWorktreeOptions = (command: Command): Command =>
  command
    .option('--in-place', 'work in the folder itself, without a git worktree')
    .option('--worktree', 'require a git worktree; fail where none can be made')
    .option('--base <ref>', 'start the worktree from this commit (default: HEAD)')
    .addOption(new Option('--base-branch <ref>', 'same as --base').hideHelp())
    .option('--allow-dirty', 'start despite uncommitted changes, which are left out')
    .option('--run-branch-prefix <text>', 'prefix of the branch name (default: run/)')
    .option(
      '--worktree-path-template <path>',
      'path of the worktree, relative to the main checkout',
    )
    .addOption(
      new Option('--worktree-provider <name>', 'what creates the worktree').choices([
        'auto',
        'git',
        'worktrunk',
      ]),
    )
    .option('--worktrunk-bin <program>', 'name or path of the Worktrunk program (default: wt)')
    .option('--worktrunk-config <file>', 'Worktrunk config file; overrides your own')
    .option('--worktrunk-copy-ignored', 'copy all files that git ignores')

/** Overrides `worktree` of the loop file. */
export function askedWorktree(options: WorktreeOptions): WorktreeOverrides {
  const { inPlace, worktree, allowDirty } = options
  const base = options.base ?? options.baseBranch
  if (inPlace === true && (worktree ?? base ?? allowDirty) !== undefined) {
    const message =
      '--in-place conflicts with --worktree, --base and --allow-dirty; use one or the other.'
    throw new LoopError('bad-request', message)
  }
  const { runBranchPrefix, worktreePathTemplate, worktreeProvider } = options
  const { worktrunkBin, worktrunkConfig, worktrunkCopyIgnored } = options
  return {
    ...(inPlace === true ? { use: false } : {}),
    ...(worktree === true || base !== undefined ? { use: true } : {}),
    ...defined({ base }),
    ...(allowDirty === true ? { allowDirty } : {}),
    ...defined({
      branchPrefix: runBranchPrefix,
      path: worktreePathTemplate,
      provider: worktreeProvider,
      worktrunkProgram: worktrunkBin,
    }),
    ...(worktrunkConfig === undefined ? {} : { worktrunkConfig: resolve(worktrunkConfig) }),
    ...(worktrunkCopyIgnored === true ? { copyIgnored: true } : {}),
  }
}

/** Where the settings come from, and those that are about one run. */
export interface SettingOptions {
  readonly config?: string
  readonly nameSource?: NameSource
  readonly nameModel?: string
}

export const addSettingOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'config file; overrides discovered ones')
    .option(
      '--name-source <source>',
      'how to name the run: auto, model, file or words (also: haiku, spec_slug)',
      nameSource,
    )
    .option('--name-model <model>', 'the model that names the run')
    .addOption(ofDaemon('--max-concurrency <n>', 'maxConcurrentRuns'))
    .addOption(ofDaemon('--max-runs-per-workspace <n>', 'maxRunsPerWorkspace'))
    .addOption(ofDaemon('--queue-policy <policy>', 'queuePolicy'))
    .option('--merge-target <branch>', 'merge finished work into it (default: agent/<spec>)')
    .addOption(
      new Option('--merge-strategy <strategy>', 'how to merge finished work').choices([
        'squash',
        'merge',
        'none',
      ]),
    )

const nameSources: Readonly<Record<string, NameSource>> = {
  auto: 'auto',
  model: 'model',
  file: 'file',
  words: 'words',
  haiku: 'model',
  spec_slug: 'file',
}

function nameSource(text: string): NameSource {
  const known = Object.hasOwn(nameSources, text) ? nameSources[text] : undefined
  if (known !== undefined) return known
  throw new InvalidArgumentError(`It must be one of ${Object.keys(nameSources).join(', ')}.`)
}

/** Flags that people know from other tools: the error says which setting to use instead. */
const elsewhere = (flags: string, advice: string): Option =>
  new Option(flags).hideHelp().argParser(() => {
    throw new InvalidArgumentError(advice)
  })

const ofDaemon = (flags: string, setting: string): Option =>
  elsewhere(
    flags,
    `The daemon serves every project, so this is a setting: set daemon.${setting} in your loopwright.yaml (loopctl config path), and restart the daemon.`,
  )

/** Overrides of the loop file. */
export interface ChangeOptions {
  readonly model?: string
  readonly prompt?: string
  readonly dependencies?: CertifySettings['dependencies']
  readonly mergeTarget?: string
  readonly mergeStrategy?: MergeStrategy
}

export const addDependenciesOption = (command: Command): Command =>
  command.addOption(
    new Option('--dependencies <from>', 'where checks get their dependencies').choices([
      'install',
      'resolve',
      'carry',
      'none',
    ]),
  )

export const addChangeOptions = (command: Command): Command =>
  addDependenciesOption(command)
    .option('--model <provider/model>', 'use this model instead of the one in the file')
    .option(
      '-p, --prompt <text>',
      'the task; with a file, replaces its prompt: text, @file, - for stdin',
    )

const promptBytesMax = 1_000_000

export async function changesFrom(
  options: ChangeOptions,
): Promise<NonNullable<NewRunRequest['changes']>> {
  const { model, prompt, dependencies, mergeTarget, mergeStrategy } = options
  const text = prompt === undefined ? undefined : await readPrompt(prompt)
  const merge = defined({ into: mergeTarget, strategy: mergeStrategy })
  return {
    ...defined({ model, prompt: text, dependencies }),
    ...(Object.keys(merge).length === 0 ? {} : { merge }),
  }
}

/** The value of `--prompt`: text, `@file`, or `-` for standard input. */
export async function readPrompt(written: string): Promise<string> {
  if (written === '-') return promptFromInput()
  return written.startsWith('@') ? promptIn(written.slice(1)) : written
}

async function promptFromInput(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new LoopError('bad-request', '--prompt - reads standard input. Pipe the prompt into it.')
  }
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > promptBytesMax)
      throw new LoopError('bad-request', '--prompt -: the input is too long for a prompt.')
  }
  return text
}

async function promptIn(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size <= promptBytesMax) return await readFile(file, 'utf8')
  } catch (cause) {
    const message = `--prompt @${file}: cannot read the file. Pass another file, or the text itself.`
    throw new LoopError('unknown-file', message, { cause })
  }
  throw new LoopError('bad-request', `--prompt @${file}: the file is too long for a prompt.`)
}

function keyValue(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

export function positive(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, at least 1.')
}

export function priority(text: string): number {
  const number = /^-?\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (Math.abs(number) <= 100) return number
  throw new InvalidArgumentError('It must be a whole number from -100 to 100.')
}

export function dollars(text: string): number {
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Math.round(Number(text) * 1e6)
  throw new InvalidArgumentError('It must be a number of dollars, like 1.50.')
}

export function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  throw new InvalidArgumentError('It must be a number with a unit, like 90s, 10m or 2h.')
}
