cat collect.sh
mkdir -p try/in && touch 'try/in/a b.log' 'try/in/.log'
sh collect.sh try/in try/out
rm -r try
