/**
 * All keys of the legacy `.loop/config`, and what each means here. Keys that are not in this table are
 * errors.
 */

/** Another name for a setting. */
export interface LoopConfigKey {
  readonly name: string
  readonly unit?: 's'
  /** Values that are written differently. */
  readonly values?: Readonly<Record<string, string>>
  /** This value means the same as leaving the key out. */
  readonly none?: string
  /** Its list is separated by spaces or commas, not by `|`. */
  readonly isSpaced?: true
}

const setting = (name: string, more: Omit<LoopConfigKey, 'name'> = {}): LoopConfigKey => ({
  name,
  ...more,
})

/** Short names and what providers call the models. */
const models: Readonly<Record<string, string>> = {
  haiku: 'anthropic/claude-haiku-4-5',
  sonnet: 'anthropic/claude-sonnet-5',
  opus: 'anthropic/claude-opus-4-5',
}

const off: Readonly<Record<string, string>> = { 0: '100' }

export const loopConfigKeys: Readonly<Record<string, LoopConfigKey>> = {
  specs_dir: setting('build.specsDir'),
  plans_dir: setting('build.plansDir'),
  log_dir: setting('artifacts.logDir'),
  global_log_dir: setting('artifacts.globalDir'),
  model: setting('model'),
  review_model: setting('build.reviewModel', { values: models }),
  iterations: setting('limits.iterations'),
  completion_mode: setting('build.completionMode'),
  reviewer: setting('build.review'),
  prompt_file: setting('build.promptFile'),
  context_files: setting('build.contextFiles', { isSpaced: true }),
  verify_cmds: setting('checks.commands'),
  verify_timeout_sec: setting('checks.timeout', { unit: 's', none: '0' }),
  claude_timeout_sec: setting('limits.agentTime', { unit: 's', none: '0' }),
  claude_retries: setting('build.retries'),
  claude_retry_backoff_sec: setting('build.retryDelay', { unit: 's', none: '0' }),
  artifact_mode: setting('artifacts.mode'),
  run_naming_mode: setting('naming.source', { values: { haiku: 'model', spec_slug: 'file' } }),
  run_naming_model: setting('naming.model', { values: models }),
  base_branch: setting('worktree.base'),
  run_branch_prefix: setting('worktree.branchPrefix'),
  merge_target_branch: setting('build.mergeTarget'),
  merge_strategy: setting('build.mergeStrategy'),
  worktree_path_template: setting('worktree.path'),
  queue_policy: setting('daemon.queuePolicy'),
  worktree_provider: setting('worktree.provider'),
  worktrunk_bin: setting('worktree.worktrunkProgram'),
  worktrunk_config_path: setting('worktree.worktrunkConfig'),
  worktrunk_copy_ignored: setting('worktree.copyIgnored'),
  worktree_cleanup: setting('build.cleanUp'),
  summary_json: setting('artifacts.summary'),
  postmortem: setting('artifacts.postmortem'),
  skills_enabled: setting('skills.enabled'),
  skills_builtin_dir: setting('skills.builtInDir'),
  skills_sync_dir: setting('skills.syncDir'),
  skills_sync_on_start: setting('skills.syncOnStart'),
  skills_dirs: setting('skills.dirs', { isSpaced: true }),
  skills_max_selected_impl: setting('skills.maxImplementation'),
  skills_max_selected_review: setting('skills.maxReview'),
  skills_load_references: setting('skills.references'),
  skills_max_body_chars: setting('skills.maxChars'),
  // 0 is off in the legacy format: then only the limit of iterations ends such a run.
  max_consecutive_verification_failures: setting('build.verificationFailures', { values: off }),
  max_consecutive_review_failures: setting('build.reviewFailures', { values: off }),
  measure_cmd: setting('build.measure'),
  max_concurrent_runs: setting('daemon.maxConcurrentRuns'),
  max_runs_per_workspace: setting('daemon.maxRunsPerWorkspace'),
  port: setting('daemon.port'),
}
