/**
 * All keys of the legacy `.loop/config`, and what each means here. Keys that are not in this table are
 * errors.
 */

export type LoopConfigKey =
  /** Another name for a setting; `values` maps values that are written differently. */
  | {
      readonly type: 'setting'
      readonly name: string
      readonly unit?: 's'
      readonly values?: Readonly<Record<string, string>>
      /** This value means the same as leaving the key out. */
      readonly none?: string
    }
  /** It belongs to the build loop, which does not exist yet. */
  | { readonly type: 'later' }
  /** It has no effect here; `why` says so to the user. */
  | { readonly type: 'none'; readonly why: string }

const setting = (
  name: string,
  more: Omit<Extract<LoopConfigKey, { type: 'setting' }>, 'type' | 'name'> = {},
): LoopConfigKey => ({ type: 'setting', name, ...more })

const later: LoopConfigKey = { type: 'later' }
const none = (why: string): LoopConfigKey => ({ type: 'none', why })

/** Short names and what providers call the models. */
const models: Readonly<Record<string, string>> = {
  haiku: 'anthropic/claude-haiku-4-5',
  sonnet: 'anthropic/claude-sonnet-5',
  opus: 'anthropic/claude-opus-4-5',
}

export const loopConfigKeys: Readonly<Record<string, LoopConfigKey>> = {
  specs_dir: later,
  plans_dir: later,
  log_dir: setting('artifacts.logDir'),
  global_log_dir: setting('artifacts.globalDir'),
  model: setting('model'),
  review_model: later,
  iterations: setting('limits.iterations'),
  completion_mode: none('a run is complete when its checks pass'),
  reviewer: later,
  prompt_file: none('the loop file names its prompt'),
  context_files: none('the loop file names its prompt'),
  verify_cmds: setting('checks.commands'),
  verify_timeout_sec: setting('checks.timeout', { unit: 's', none: '0' }),
  claude_timeout_sec: none('the loop file sets it: agent.timeout'),
  claude_retries: none('temporary faults are always retried, within the limits of the run'),
  claude_retry_backoff_sec: none('the engine chooses the delay between retries'),
  artifact_mode: setting('artifacts.mode'),
  run_naming_mode: setting('naming.source', { values: { haiku: 'model', spec_slug: 'file' } }),
  run_naming_model: setting('naming.model', { values: models }),
  base_branch: setting('worktree.base'),
  run_branch_prefix: setting('worktree.branchPrefix'),
  merge_target_branch: later,
  merge_strategy: later,
  worktree_path_template: setting('worktree.path'),
  queue_policy: setting('daemon.queuePolicy'),
  worktree_provider: setting('worktree.provider'),
  worktrunk_bin: setting('worktree.worktrunkProgram'),
  worktrunk_config_path: setting('worktree.worktrunkConfig'),
  worktrunk_copy_ignored: setting('worktree.copyIgnored'),
  worktree_cleanup: none('worktrees stay until you remove them with loopctl worktrees clean'),
  summary_json: none('it is always written'),
  postmortem: setting('artifacts.postmortem'),
  skills_enabled: later,
  skills_builtin_dir: later,
  skills_sync_dir: later,
  skills_sync_on_start: later,
  skills_dirs: later,
  skills_max_selected_impl: later,
  skills_max_selected_review: later,
  skills_load_references: later,
  skills_max_body_chars: later,
  max_consecutive_verification_failures: later,
  max_consecutive_review_failures: later,
  max_concurrent_runs: setting('daemon.maxConcurrentRuns'),
  max_runs_per_workspace: setting('daemon.maxRunsPerWorkspace'),
  port: setting('daemon.port'),
}
