/** The fields with which the legacy API starts a run, and what has their meaning in `POST /runs`. */

const other = (name: string): string => `a legacy field; use ${name}`

export const legacyRunFields: Readonly<Record<string, string>> = {
  spec_path: other('input.spec, with the file of the loop'),
  plan_path: other('input.plan'),
  workspace_root: other('workspace'),
  config_override: other('settings'),
  name_source: other('settings.naming.source'),
  base_branch: other('worktree.base'),
  run_branch_prefix: other('worktree.branchPrefix'),
  merge_target_branch: other('changes.merge.into'),
  merge_strategy: other('changes.merge.strategy'),
  worktree_path_template: other('worktree.path'),
  worktree_provider: other('worktree.provider'),
  worktrunk_bin: other('worktree.worktrunkProgram'),
  worktrunk_config_path: other('worktree.worktrunkConfig'),
  worktrunk_copy_ignored: other('worktree.copyIgnored'),
}
