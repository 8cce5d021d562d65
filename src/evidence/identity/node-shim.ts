/**
 * A `node` that comes first in the PATH and loads our preload also where a script sets NODE_OPTIONS itself.
 * `folder`: where our files are for the check.
 */
export const nodeShim = (folder: string): string => `#!/bin/sh
case " $NODE_OPTIONS" in
  *"${folder}/preload.cjs"*) ;;
  *) NODE_OPTIONS="--require=\\"${folder}/preload.cjs\\" $NODE_OPTIONS"; export NODE_OPTIONS ;;
esac
set -f
IFS=:
for folder in $PATH; do
  if [ "$folder" != "${folder}/bin" ] && [ -x "$folder/node" ]; then
    unset IFS
    exec "$folder/node" "$@"
  fi
done
echo "node: not found in the PATH" >&2
exit 127
`
