#!/bin/sh
# Refuses a commit message whose subject is longer than 72 characters or has no area: commit_subject.sh FILE
subject=$(grep -v '^#' "$1" | head -n 1)
case $subject in
    Merge\ * | Revert\ * | fixup!\ * | squash!\ *) exit 0 ;;
    *?:\ ?*) ;;
    *) echo "the subject \"$subject\" has no area; write \"area: what\", as in \"feet: drift at seams\"" >&2; exit 1 ;;
esac
length=$(printf %s "$subject" | wc -m)
if [ "$length" -gt 72 ]; then
    echo "the subject has $length characters; 72 is the most, and reasons go below it" >&2
    exit 1
fi
