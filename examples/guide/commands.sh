# The commands of the guide. examples/guide.test.ts runs them, with a runtime and a project from `wes new`.
set -euo pipefail

# #region approve
id=$(wes start order-approval --input '{"orderId":"o-1","cents":4200}')
wes send $id approved '{"by":"Grace"}'
wes result $id --wait
# #endregion approve

# #region history
wes history $id
# #endregion history

sed -i.bak "s/status: 'charged'/status: 'paid'/" programs/order-approval.ts
until wes versions order-approval --json | grep -q '"number":2'; do sleep 0.1; done

# #region versions
wes versions order-approval
wes start order-approval --input '{"orderId":"o-2","cents":100}'
wes start order-approval --input '{"orderId":"o-3","cents":100}' --version 1
# #endregion versions

# #region build
wes build --out artifacts
wes deploy artifacts/order-approval.program.json
# #endregion build
