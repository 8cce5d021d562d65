/**
 * The commands by group, in the order of help. A module is loaded when one of its commands is called, or for
 * help: loading all of them takes longer than most commands.
 */

import type { Command } from 'commander'

export interface CommandModule {
  /** Of the commands that it adds, with their aliases. */
  readonly names: readonly string[]
  load(): Promise<(program: Command) => void>
}

export const commandGroups: Readonly<Record<string, readonly CommandModule[]>> = {
  'Run a loop:': [
    {
      names: ['run', 'resume', 'fork', 'retry', 'watch'],
      load: async () => (await import('./commands/run.ts')).addRunCommands,
    },
    {
      names: ['tune'],
      load: async () => (await import('./commands/tune.ts')).addTune,
    },
    {
      names: ['replay'],
      load: async () => (await import('./commands/replay.ts')).addReplay,
    },
    {
      names: ['demo'],
      load: async () => (await import('./commands/demo.ts')).addDemo,
    },
  ],
  'Schedules:': [
    {
      names: ['schedule'],
      load: async () => (await import('./commands/schedule.ts')).addSchedule,
    },
  ],
  'Loop files, tools and agents:': [
    {
      names: ['init'],
      load: async () => (await import('./commands/init.ts')).addInit,
    },
    {
      names: ['catalog'],
      load: async () => (await import('./commands/catalog.ts')).addCatalog,
    },
    {
      names: ['validate', 'trust', 'tools'],
      load: async () => (await import('./commands/loop-files.ts')).addLoopFiles,
    },
    {
      names: ['prompt'],
      load: async () => (await import('./commands/prompt.ts')).addPrompt,
    },
    {
      names: ['preflight', 'forget'],
      load: async () => (await import('./commands/preflight.ts')).addPreflight,
    },
    {
      names: ['calibrate'],
      load: async () => (await import('./commands/calibrate.ts')).addCalibrate,
    },
    {
      names: ['agents'],
      load: async () => (await import('./commands/agents.ts')).addAgents,
    },
  ],
  'Inspect runs:': [
    {
      names: ['dashboard'],
      load: async () => (await import('./commands/dashboard.ts')).addDashboard,
    },
    {
      names: ['list', 'inspect', 'tail', 'output', 'queue'],
      load: async () => (await import('./commands/inspect.ts')).addInspectCommands,
    },
    {
      names: ['report'],
      load: async () => (await import('./commands/report.ts')).addReport,
    },
    {
      names: ['show'],
      load: async () => (await import('./commands/show.ts')).addShow,
    },
    {
      names: ['diff'],
      load: async () => (await import('./commands/worktrees.ts')).addDiff,
    },
  ],
  'Certificates:': [
    {
      names: ['certify'],
      load: async () => (await import('./commands/certify.ts')).addCertify,
    },
    {
      names: ['verify', 'certificate', 'keys'],
      load: async () => (await import('./commands/certificates.ts')).addCertificates,
    },
  ],
  'Levels:': [
    {
      names: ['levels'],
      load: async () => (await import('./commands/levels.ts')).addLevels,
    },
  ],
  'Policies:': [
    {
      names: ['policy'],
      load: async () => (await import('./commands/policy.ts')).addPolicy,
    },
  ],
  'Control runs:': [
    {
      names: ['inbox', 'pause', 'stop', 'cancel'],
      load: async () => (await import('./commands/control.ts')).addControlCommands,
    },
    {
      names: ['answer', 'tell'],
      load: async () => (await import('./commands/answer.ts')).addAnswerCommands,
    },
    {
      names: ['limits'],
      load: async () => (await import('./commands/limits.ts')).addLimits,
    },
  ],
  'Changes made by runs:': [
    {
      names: ['merge'],
      load: async () => (await import('./commands/worktrees.ts')).addMerge,
    },
    {
      names: ['land'],
      load: async () => (await import('./commands/worktrees.ts')).addLand,
    },
    {
      names: ['scrap', 'reset', 'create-pr', 'analyze'],
      load: async () => (await import('./commands/review.ts')).addReview,
    },
    {
      names: ['actions'],
      load: async () => (await import('./commands/actions.ts')).addActions,
    },
    {
      names: ['worktrees'],
      load: async () => (await import('./commands/worktrees.ts')).addWorktrees,
    },
    {
      names: ['worktree-rm'],
      load: async () => (await import('./commands/worktrees.ts')).addWorktreeRemoval,
    },
  ],
  'State folder:': [
    {
      names: ['memory'],
      load: async () => (await import('./commands/memory.ts')).addMemory,
    },
    {
      names: ['export', 'files', 'rm', 'gc'],
      load: async () => (await import('./commands/state-folder.ts')).addStateFolderCommands,
    },
  ],
  'Daemon:': [
    {
      names: ['daemon'],
      load: async () => (await import('./commands/daemon.ts')).addDaemon,
    },
  ],
  'More:': [
    {
      names: ['config'],
      load: async () => (await import('./commands/config.ts')).addConfig,
    },
    {
      names: ['completion'],
      load: async () => (await import('./commands/completion.ts')).addCompletion,
    },
    {
      names: ['doctor'],
      load: async () => (await import('./commands/doctor.ts')).addDoctor,
    },
  ],
}
