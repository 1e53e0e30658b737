# What check_nomad_evals may read in Nomad, and how to get a token for it. Everything here only reads.
#
#   nomad acl policy apply -description "Icinga: check_nomad_evals" check-nomad-evals nomad-policy.hcl
#   nomad acl token create -name icinga -policy check-nomad-evals -type client
#
# Write the Secret ID to the file that --token-file names, readable for the user that runs the check only.

# All the check needs. read-job alone is not enough: Nomad refuses the list of jobs without list-jobs. With namespaces named
# instead of "*" the check judges only those, and says so.
namespace "*" {
  capabilities = ["list-jobs", "read-job"]
}

# Buys the servers' failure tolerance and whether the evaluation broker is paused. Without it the check gives the same verdict
# on evaluations, allocations and jobs, counts the servers (--expect-servers), and says that the tolerance is unknown.
operator {
  policy = "read"
}
