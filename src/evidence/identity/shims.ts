/**
 * Programs that come first in the PATH of a check. `folder`: where the check sees our files.
 *
 * They find the real program behind them. Our `node` loads the preload even if a script sets NODE_OPTIONS itself;
 * `go test` and `cargo test` run through our programs.
 */

export const nodeShim = (folder: string): string => `#!/bin/sh
case " $NODE_OPTIONS" in
  *"${folder}/preload.cjs"*) ;;
  *) NODE_OPTIONS="--require=\\"${folder}/preload.cjs\\" $NODE_OPTIONS"; export NODE_OPTIONS ;;
esac
${findReal(folder, 'node')}exec "$real" "$@"
`

export const toolShim = (folder: string, tool: 'go' | 'cargo'): string => `#!/bin/sh
${findReal(folder, tool)}if [ -z "$LOOPWRIGHT_RUNNER" ]; then
  case " $1 $2 " in
    " test "*|" t "*|" +"*" test "|" +"*" t ")
      exec node "${folder}/run-tool.cjs" ${tool} "$real" "$@" ;;
  esac
fi
exec "$real" "$@"
`

/** What the tool starts in front of each test binary. */
export const testRunner = (folder: string, tool: 'go' | 'cargo'): string => `#!/bin/sh
exec node "${folder}/run-tests.cjs" ${tool} "$@"
`

const findReal = (folder: string, name: string): string => `real=
set -f
IFS=:
for one in $PATH; do
  if [ -z "$real" ] && [ "$one" != "${folder}/bin" ] && [ -x "$one/${name}" ]; then real=$one/${name}; fi
done
unset IFS
set +f
if [ -z "$real" ]; then
  echo "${name}: not found in the PATH" >&2
  exit 127
fi
`
